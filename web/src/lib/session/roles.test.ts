import { mayDo, whyNot } from './roles';

describe('what a role is offered', () => {
  it.each([
    ['OWNER', ['build', 'pay', 'manage']],
    ['ADMIN', ['build', 'pay', 'manage']],
    ['DEVELOPER', ['build']],
    ['BILLING', ['pay']],
    ['VIEWER', []],
  ] as const)('is, for %s, what the server lets it do', (role, actions) => {
    const offered = (['build', 'pay', 'manage'] as const).filter((action) => mayDo(role, action));
    expect(offered).toEqual(actions);
  });

  it('is told with the roles that it takes, where it is not offered', () => {
    expect(whyNot('VIEWER', 'pay', 'To buy credits')).toBe(
      'To buy credits, you need the role owner, admin or billing. Your role here is viewer. Ask an owner.',
    );
  });
});
