-- delete removes a value, and its name.
--
-- KEYS  1 the value  2 the names of all values  3 the expiries
-- ARGV  1 its name  2 the version that it must have, "absent" to remove the name of a value
--       that is gone, "" for any
--
-- Replies with a word: "ok", "conflict" or "gone".

local old = redis.call('GET', KEYS[1])
local word, run = 'gone', redis.call
if old then
  if ARGV[2] ~= '' and ARGV[2] ~= string.match(old, '^%S+') then
    return {'conflict'}
  end
  redis.call('DEL', KEYS[1])
  -- A leftover name does no harm, and the next list removes it.
  word, run = 'ok', redis.pcall
end
run('ZREM', KEYS[2], ARGV[1])
run('ZREM', KEYS[3], ARGV[1])
return {word}
