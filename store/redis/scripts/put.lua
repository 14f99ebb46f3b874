-- put stores a value if the existing version is the expected one.
--
-- KEYS  1 the value  2 the names of all values  3 the expiries
-- ARGV  1 its name  2 the expected version, "absent" for none, "" for any  3 the new version
--       4 its time to live in milliseconds, 0 for unlimited  5 the value itself
--
-- A value is stored as its version, its expiry in microseconds (0 for never) and the value itself,
-- separated by spaces. The clock is this server's.
--
-- Each write also removes a few expired names, so that their number is limited.
--
-- Replies with a word and a text:
--   "ok"        stored; its expiry
--   "conflict"  another version exists; the stored value, or "" for none

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local old = redis.call('GET', KEYS[1])
local version, expires = '', '0'
if old then
  version, expires = string.match(old, '^(%S+) (%d+) ')
end
if version == ARGV[3] then
  return {'ok', expires} -- A repetition of this write, whose reply was lost.
end
if ARGV[2] == 'absent' and old or ARGV[2] ~= '' and ARGV[2] ~= 'absent' and ARGV[2] ~= version then
  return {'conflict', old or ''}
end

-- The value is written last: a name without a value does no harm if Redis refuses a command in between.
redis.call('ZADD', KEYS[2], 0, ARGV[1])
local at = math.floor(now / 1000) + tonumber(ARGV[4])
if ARGV[4] == '0' then
  expires = '0'
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  expires = string.format('%.0f', at * 1000)
  redis.call('ZADD', KEYS[3], expires, ARGV[1])
end

local gone = redis.call('ZRANGE', KEYS[3], '-inf', string.format('%.0f', now), 'BYSCORE', 'LIMIT', 0, 10)
if #gone > 0 then
  redis.call('ZREM', KEYS[2], unpack(gone))
  redis.call('ZREM', KEYS[3], unpack(gone))
end

local value = ARGV[3] .. ' ' .. expires .. ' ' .. ARGV[5]
if expires == '0' then
  redis.call('SET', KEYS[1], value)
else
  redis.call('SET', KEYS[1], value, 'PXAT', string.format('%.0f', at))
end
return {'ok', expires}
