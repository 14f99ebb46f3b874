-- drop removes records from the tenant index that are in no other index.
--
-- KEYS  1 the sorted set
-- ARGV  ids
--
-- Replies with the number of members dropped.

local members = {}
for i, id in ipairs(ARGV) do
  members[i] = 'r' .. id
end
local scores = redis.call('ZMSCORE', KEYS[1], unpack(members))
local gone = {}
for i, id in ipairs(ARGV) do
  if not scores[i] then
    gone[#gone + 1] = 't' .. id
  end
end
if #gone == 0 then
  return 0
end
return redis.call('ZREM', KEYS[1], unpack(gone))
