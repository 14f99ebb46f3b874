-- rights runs each command that the store needs, on keys of one partition, and leaves no data. Redis
-- checks the permissions for all keys before it runs a script.
--
-- KEYS  1 and 2 unused keys  3... the other keys of the partition
-- ARGV  1 a channel, "" for no message  2 a message that every bridge ignores
--
-- Replies with the commands that failed, each with its error.

local failures = {}
local function try(command, ...)
  local reply = redis.pcall(command, ...)
  if type(reply) == 'table' and reply.err then
    failures[#failures + 1] = command
    failures[#failures + 1] = reply.err
  end
end

try('TIME')
try('SET', KEYS[1], '', 'PX', 10000)
try('GET', KEYS[1])
try('MGET', KEYS[1])
try('EXISTS', KEYS[1])
try('ZADD', KEYS[2], 0, 'a')
try('ZMSCORE', KEYS[2], 'a')
try('ZCOUNT', KEYS[2], '-inf', '+inf')
try('ZRANGE', KEYS[2], 0, 0)
try('ZREM', KEYS[2], 'a')
try('DEL', KEYS[1], KEYS[2])
if ARGV[1] ~= '' then
  try('PUBLISH', ARGV[1], ARGV[2])
end
return failures
