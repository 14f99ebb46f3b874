-- claim postpones due deliveries by a lease. It also removes members whose record is delivered or gone,
-- so that changes of records need not.
--
-- KEYS  1 index  2... the records
-- ARGV  1 the lease  2 the offset of scores in the index
--       3... for each record its member, and 1 to claim it or 0 to check it only
--
-- Times are microseconds since 1970; the clock is this server's.
--
-- Replies with a word for each record: "claimed", "due" or "dropped".

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2] + tonumber(ARGV[2])
local ahead = string.format('%.0f', now + tonumber(ARGV[1]))

local members, wanted = {}, {}
for i = 3, #ARGV, 2 do
  members[#members + 1] = ARGV[i]
  wanted[#wanted + 1] = ARGV[i + 1] == '1'
end
local scores = redis.call('ZMSCORE', KEYS[1], unpack(members))
local values = redis.call('MGET', unpack(KEYS, 2))

local words, moved, dropped = {}, {}, {}
for i, member in ipairs(members) do
  local lags = values[i] and string.match(values[i], '^%S+ 1 ')
  if not lags then
    dropped[#dropped + 1] = member
    words[i] = 'dropped'
  elseif wanted[i] and scores[i] and tonumber(scores[i]) <= now then
    moved[#moved + 1] = ahead
    moved[#moved + 1] = member
    words[i] = 'claimed'
  else
    words[i] = 'due'
  end
end
if #dropped > 0 then
  redis.call('ZREM', KEYS[1], unpack(dropped))
end
if #moved > 0 then
  redis.call('ZADD', KEYS[1], unpack(moved))
end
return words
