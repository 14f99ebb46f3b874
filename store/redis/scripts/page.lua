-- page lists an index in a sorted set from a score on. Members of equal score are ordered by their
-- bytes, and a list can continue between them.
--
-- KEYS  1 the sorted set
-- ARGV  1 the first score  2 the member of that score after which to begin, "" for the first
--       3 an upper bound of the scores  4 how many to list
--       5... for a tenant's page pairs of bounds: the due records, those in the tenant index, and
--       the ended records in both
--
-- Replies with members and scores, alternating. With bounds, these follow the number of members
-- in each pair, and from the first score to the last. It changes nothing.

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

-- skip is the number of members of the first score before the list.
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
