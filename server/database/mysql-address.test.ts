import { MysqlAddressError, parseMysqlAddress } from './mysql-address.js';

const files: Readonly<Record<string, string>> = { '/ca.pem': 'CA', '/cert.pem': 'CERT', '/key.pem': 'KEY' };
const parse = (text: string) =>
  parseMysqlAddress(text, (path) => {
    const content = files[path];
    if (content === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
    return content;
  });

function faultsOf(text: string): readonly string[] {
  try {
    parse(text);
    return [];
  } catch (error) {
    if (error instanceof MysqlAddressError) return error.faults;
    throw error;
  }
}

describe('the address of a MySQL server', () => {
  it.each([
    ['mysql://u:p@db:3307/tollgate', { hosts: [{ host: 'db', port: 3307 }] }],
    ['mariadb://u:p@db/tollgate', { hosts: [{ host: 'db', port: 3306 }] }],
    ['mysql://u:p@[::1]:3307/tollgate', { hosts: [{ host: '::1', port: 3307 }] }],
    [
      'mysql://u:p@one,two:3307,[fe80::1]/tollgate',
      {
        hosts: [
          { host: 'one', port: 3306 },
          { host: 'two', port: 3307 },
          { host: 'fe80::1', port: 3306 },
        ],
      },
    ],
    ['mysql://u:p@localhost/tollgate?socket=/run/my%20sql.sock', { hosts: [{ socketPath: '/run/my sql.sock' }] }],
    ['mysql://u%40corp:p%3A%2F%3F%23%25@db/tollgate', { user: 'u@corp', password: 'p:/?#%' }],
    ['mysql://u:a:b@db/tollgate', { password: 'a:b' }],
    ['mysql://u@db/tollgate', { password: '' }],
    ['mysql://u:p@db/tollgate', { tls: null }],
    ['mysql://u:p@db/tollgate?ssl-mode=DISABLED', { tls: null }],
    ['mysql://u:p@db/tollgate?ssl-mode=REQUIRED', { tls: { rejectUnauthorized: false, verifyIdentity: false } }],
    [
      'mysql://u:p@db/tollgate?ssl-mode=verify_ca&ssl-ca=/ca.pem',
      { tls: { rejectUnauthorized: true, verifyIdentity: false, ca: 'CA' } },
    ],
    [
      'mysql://u:p@db/tollgate?ssl-mode=VERIFY_IDENTITY&ssl-cert=/cert.pem&ssl-key=/key.pem',
      { tls: { rejectUnauthorized: true, verifyIdentity: true, cert: 'CERT', key: 'KEY' } },
    ],
    // A certificate that nobody compares with anything would only look safe.
    ['mysql://u:p@db/tollgate?ssl-ca=/ca.pem', { tls: { rejectUnauthorized: true, verifyIdentity: false, ca: 'CA' } }],
  ])('%s is understood', (text, expected) => {
    expect(parse(text)).toMatchObject(expected);
  });

  it.each([
    ['mysql://db', /must be mysql:/],
    ['mysql://u:p/a@db/tollgate', /must be mysql:.*percent-encode/],
    ['mysql://u:p@db/', /no database/],
    ['mysql://u:p@db/toll.gate', /a database with a dot in its name: use one without/],
    ['mysql://u:p@db/toll%2Egate', /a database with a dot in its name: use one without/],
    ['mysql://db/tollgate', /no user/],
    ['mysql://u:p@/tollgate', /is no host/],
    ['mysql://u:p@db:0/tollgate', /is no host/],
    ['mysql://u:p@db:70000/tollgate', /is no host/],
    ['mysql://u:p@db,,other/tollgate', /is no host/],
    ['mysql://u:p@::1/tollgate', /is no host/],
    ['mysql://u:100%@db/tollgate', /%25/],
    ['mysql://u:p@db/tollgate?sslmode=REQUIRED', /parameter "sslmode": ssl-mode/],
    ['mysql://u:p@db/tollgate?ssl-mode=PREFERRED', /PREFERRED.*VERIFY_IDENTITY/],
    ['mysql://u:p@192.0.2.1/tollgate?ssl-mode=VERIFY_IDENTITY', /address 192\.0\.2\.1: write the name.*VERIFY_CA/],
    ['mysql://u:p@db,[2001:db8::1]:3307/tollgate?ssl-mode=VERIFY_IDENTITY', /address 2001:db8::1: write the name/],
    ['mysql://u:p@db/tollgate?ssl-mode=REQUIRED&ssl-mode=DISABLED', /twice/],
    ['mysql://u:p@db/tollgate?ssl-ca=', /without a value/],
    ['mysql://u:p@db/tollgate?ssl-mode=DISABLED&ssl-ca=/ca.pem', /unused/],
    ['mysql://u:p@db/tollgate?ssl-mode=REQUIRED&ssl-cert=/cert.pem', /both ssl-cert and ssl-key/],
    ['mysql://u:p@db/tollgate?ssl-ca=/none.pem', /cannot read ssl-ca: ENOENT/],
  ])('%s is refused with the remedy', (text, remedy) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(remedy)]);
  });

  it('tells all its faults at once, and never user or password', () => {
    const faults = faultsOf('mysql://someone:hunter2@db:0/?ssl-mode=ON&colour=red');
    expect(faults).toHaveLength(4);
    expect(faults.join()).not.toMatch(/someone|hunter2/);
  });
});
