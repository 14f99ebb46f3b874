-- mend adds records to the tenant index if their score has not changed.
--
-- KEYS  1 the sorted set
-- ARGV  for each record its member and expected score, then its member and score in the tenant
--       index
--
-- Replies with the number of records added.

local members = {}
for i = 1, #ARGV, 4 do
  members[#members + 1] = ARGV[i]
end
local scores = redis.call('ZMSCORE', KEYS[1], unpack(members))
local puts = {}
for n, score in ipairs(scores) do
  local i = 4 * n - 3
  if score and tonumber(score) == tonumber(ARGV[i + 1]) then
    puts[#puts + 1] = ARGV[i + 3]
    puts[#puts + 1] = ARGV[i + 2]
  end
end
if #puts > 0 then
  redis.call('ZADD', KEYS[1], unpack(puts))
end
return #puts / 2
