-- swap replaces one version of a record by the next and updates the index, or changes nothing: if
-- Redis refuses to change the index, it restores the old version. A refused notification does not
-- fail the swap.
--
-- KEYS  1 record  2 index
-- ARGV  1 id
--       2 the token of the expected version
--       3 the value to store  4 its expiry in milliseconds, 0 for never
--       5 the channel for the notification, "" if no bridge listens
--       6 the caller's estimate of the time, 0 if the time does not matter
--       7 its maximum error  8 and 9 the times that it was compared with
--      10 the times to publish  11 the authentication code to publish with the whole value, or
--         "" to publish only the token
--      12 1 to remove the record from the index, else 0
--      13... scores and members to add to the index, alternating
--
-- Times are microseconds since 1970; the clock is this server's.
--
-- A value is a token, 1 if a delivery is due and 0 otherwise, the expiry and the record, separated
-- by spaces.
--
-- notify.go documents the notification.
--
-- The script writes first and then checks the replaced version, which saves a command. It is
-- atomic, so no one sees the record in between.
--
-- Replies with a word, the time (0 if it does not matter) and possibly a value:
--   "ok"        stored; if publishing failed, an empty text and the error follow
--   "conflict"  another version is stored; its value follows
--   "gone"      no record is stored; its index members are removed
--   "clock"     the server's time would have led to another decision; nothing was stored

local stamp = '0'
if ARGV[6] ~= '0' then
  local clock = redis.call('TIME')
  local now, guess = clock[1] * 1000000 + clock[2], tonumber(ARGV[6])
  stamp = string.format('%.0f', now)
  local function misjudged(moment)
    moment = tonumber(moment)
    return (now < moment) ~= (guess < moment)
  end
  if math.abs(now - guess) > tonumber(ARGV[7]) or misjudged(ARGV[8]) or misjudged(ARGV[9]) then
    return {'clock', stamp}
  end
end

local function store(value, expires, ...)
  if expires == '0' then
    return redis.call('SET', KEYS[1], value, 'GET', ...)
  end
  return redis.call('SET', KEYS[1], value, 'GET', 'PXAT', expires, ...)
end

-- failed reports whether the reply to a pcall is an error.
local function failed(reply)
  return type(reply) == 'table' and reply.err ~= nil
end

local old = store(ARGV[3], ARGV[4], 'XX')
if not old then
  redis.call('ZREM', KEYS[2], 'r' .. ARGV[1], 'l' .. ARGV[1], 't' .. ARGV[1])
  return {'gone', stamp}
end
local token, _, expires = string.match(old, '^(%S+) (%d) (%d+) ')
if token ~= ARGV[2] then
  store(old, expires)
  return {'conflict', stamp, old}
end

-- From here on no error may end the script before the record and the index are consistent.
local indexed = 0
if #ARGV > 12 then
  indexed = redis.pcall('ZADD', KEYS[2], unpack(ARGV, 13))
end
if ARGV[12] == '1' and not failed(indexed) then
  indexed = redis.pcall('ZREM', KEYS[2], 'r' .. ARGV[1], 't' .. ARGV[1])
end
if failed(indexed) then
  store(old, expires)
  return indexed
end
if ARGV[5] ~= '' then
  local token = string.match(ARGV[3], '^%S+')
  local news = ARGV[1] .. ' ' .. token .. ' ' .. ARGV[10]
  if ARGV[11] ~= '' then
    news = news .. ' ' .. ARGV[11] .. string.sub(ARGV[3], #token + 1)
  end
  local published = redis.pcall('PUBLISH', ARGV[5], news)
  if failed(published) then
    return {'ok', stamp, '', published.err}
  end
end
return {'ok', stamp}
