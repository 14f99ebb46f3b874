-- trim removes members between two scores from the index and from the tenant index. Records with a
-- delivery due stay.
--
-- KEYS  1 the sorted set
-- ARGV  1 the first score  2 the last one
--
-- Replies with the number of records.

local trimmed, kept = 0, 0
while true do
  local members = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2], 'BYSCORE', 'LIMIT', kept, 1000)
  if #members == 0 then
    return trimmed
  end
  local due = {}
  for i, member in ipairs(members) do
    due[i] = 'l' .. string.sub(member, 2)
  end
  due = redis.call('ZMSCORE', KEYS[1], unpack(due))
  local gone = {}
  for i, member in ipairs(members) do
    if not due[i] then
      gone[#gone + 1] = member
      gone[#gone + 1] = 't' .. string.sub(member, 2)
    end
  end
  if #gone > 0 then
    redis.call('ZREM', KEYS[1], unpack(gone))
  end
  trimmed = trimmed + #gone / 2
  kept = kept + #members - #gone / 2
end
