-- trim takes members between two scores out of the index, and those of the same
-- records out of the index of their tenants.
--
-- KEYS  1 the sorted set
-- ARGV  1 the first score  2 the last one
--
-- Replies with the number of records.

local trimmed = 0
while true do
  local members = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2], 'BYSCORE', 'LIMIT', 0, 1000)
  if #members == 0 then
    return trimmed
  end
  local gone = {}
  for _, member in ipairs(members) do
    gone[#gone + 1] = member
    gone[#gone + 1] = 't' .. string.sub(member, 2)
  end
  redis.call('ZREM', KEYS[1], unpack(gone))
  trimmed = trimmed + #members
end
