-- page lists an index from a moment on. Members of equal score are ordered by
-- their bytes, and a listing resumes between them.
--
-- KEYS  1 the index
-- ARGV  1 the first score  2 the member after which to begin at that score, ""
--       for all of them  3 how many to list
--
-- Replies with members and scores in turn. It changes nothing.

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

local first = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[1])
if ARGV[2] ~= '' then
  local last = redis.call('ZCOUNT', KEYS[1], '-inf', ARGV[1])
  while first < last do
    local middle = math.floor((first + last) / 2)
    if above(redis.call('ZRANGE', KEYS[1], middle, middle)[1], ARGV[2]) then
      last = middle
    else
      first = middle + 1
    end
  end
end
return redis.call('ZRANGE', KEYS[1], first, first + ARGV[3] - 1, 'WITHSCORES')
