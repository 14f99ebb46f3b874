-- page lists one of the indexes in a sorted set from a moment on. Members of
-- equal score are ordered by their bytes, and a listing resumes between them.
--
-- KEYS  1 the sorted set
-- ARGV  1 the first score  2 the member after which to begin at that score, ""
--       for all of them  3 a bound behind the last score  4 how many to list
--       5... for a tenant's page the bounds, in turn, of the due records, of the
--       same in the index of tenants, and of the ended ones in both
--
-- Replies with members and scores in turn; and before them, if it was given bounds,
-- with how many members stand between each two, and from the first score to the
-- last. It changes nothing.

-- above is a > b by bytes. The operator would use the server's locale.
local function above(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then
      return x > y
    end
  end
  return #a > #b
end

-- skip is how many members of the first score come before the listing.
local skip = 0
if ARGV[2] ~= '' then
  local ties = redis.call('ZCOUNT', KEYS[1], ARGV[1], ARGV[1])
  while skip < ties do
    local middle = math.floor((skip + ties) / 2)
    local member = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1], 'BYSCORE', 'LIMIT', middle, 1)[1]
    if above(member, ARGV[2]) then
      ties = middle
    else
      skip = middle + 1
    end
  end
end
local list = {}
if ARGV[4] ~= '0' then
  list = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[3], 'BYSCORE', 'LIMIT', skip, ARGV[4], 'WITHSCORES')
end
if #ARGV == 4 then
  return list
end
local reply = {}
for i = 5, #ARGV, 2 do
  reply[#reply + 1] = tostring(redis.call('ZCOUNT', KEYS[1], ARGV[i], ARGV[i + 1]))
end
reply[#reply + 1] = tostring(redis.call('ZCOUNT', KEYS[1], ARGV[1], ARGV[3]))
for _, item in ipairs(list) do
  reply[#reply + 1] = item
end
return reply
