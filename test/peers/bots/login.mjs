// An OpenID provider with node-oidc-provider, for the sign-in at the console. Everyone may sign in with the login form of
// its development pages; CLAIMS describes them.
import Provider from 'oidc-provider';

const { PORT, REDIRECT, CLAIMS } = process.env;
const people = JSON.parse(CLAIMS);
const issuer = `http://127.0.0.1:${PORT}`;
const provider = new Provider(issuer, {
  clients: [{ client_id: 'askbridge', client_secret: 'a-secret-of-the-client', redirect_uris: [REDIRECT], response_types: ['code'], grant_types: ['authorization_code'] }],
  cookies: { keys: ['a key of the cookies'] },
  claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email', 'email_verified'] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
});
for (const kind of ['authorization.error', 'grant.error', 'server_error', 'userinfo.error']) {
  provider.on(kind, (_, err) => console.log(`${kind}: ${err.message} ${err.error_description ?? ''}`));
}
provider.listen(PORT, '127.0.0.1', () => console.log('ready'));
