-- swap replaces one version of a record by the next and keeps the indexes in
-- step. Version 0 is the record that does not exist, so a create is a swap too.
--
-- KEYS  1 record  2 due  3 lagging  4 ended
-- ARGV  1 id
--       2 the version that must be stored now, as a token that no other write
--         of the same number has, or "0"
--       3 the version to store   4 its data
--       5 due   6 lagging   7 ended: a new score, "-" to take the record out of
--         the index, "" to leave it where it is
--       8 the time that the caller reckoned with, and 9 how far it may be off
--      10 and 11 moments that the caller compared that time with
--      12 how long ended records are kept   13 the channel to publish the id on
--
-- Times are microseconds since 1970; the clock is this server's.
--
-- Replies with an array that begins with a word and the time:
--   "ok"        stored
--   "conflict"  another version is stored; its data follows
--   "gone"      no record is stored; what the indexes held of it is dropped
--   "clock"     the caller's time would have led to another decision; nothing
--               was stored

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local stamp = string.format('%.0f', now)

local stored = redis.call('HGET', KEYS[1], 'v') or '0'
if stored ~= ARGV[2] then
  if stored ~= '0' then
    return {'conflict', stamp, redis.call('HGET', KEYS[1], 'data')}
  end
  for i = 2, 4 do
    redis.call('ZREM', KEYS[i], ARGV[1])
  end
  return {'gone', stamp}
end

local guess = tonumber(ARGV[8])
local function misjudged(moment)
  moment = tonumber(moment)
  return (now < moment) ~= (guess < moment)
end
if math.abs(now - guess) > tonumber(ARGV[9]) or misjudged(ARGV[10]) or misjudged(ARGV[11]) then
  return {'clock', stamp}
end

redis.call('HSET', KEYS[1], 'v', ARGV[3], 'data', ARGV[4])
for i = 2, 4 do
  local score = ARGV[i + 3]
  if score == '-' then
    redis.call('ZREM', KEYS[i], ARGV[1])
  elseif score ~= '' then
    redis.call('ZADD', KEYS[i], score, ARGV[1])
  end
end

local ended = tonumber(ARGV[7])
if ended then
  local keep = tonumber(ARGV[12])
  redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', math.floor((ended + keep) / 1000)))
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', string.format('%.0f', now - keep))
end
redis.call('PUBLISH', ARGV[13], ARGV[1])
return {'ok', stamp}
