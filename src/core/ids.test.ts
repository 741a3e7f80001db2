import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../test/support/refusal.ts';
import { checkAgentId, identityIdOf, isUuid, uuidV5 } from './ids.ts';
import { Issues } from './issues.ts';
import { sha1 } from './sha1.ts';

describe('SHA-1', () => {
  it('agrees with OpenSSL on any message, across the edges of its blocks', () => {
    const message = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ minLength: 50, maxLength: 70 }),
    );
    fc.assert(
      fc.property(message, (bytes) => {
        expect(Buffer.from(sha1(bytes)).toString('hex')).toBe(createHash('sha1').update(bytes).digest('hex'));
      }),
    );
  });
});

describe('a UUIDv5', () => {
  it('is that of RFC 9562, appendix A.4', () => {
    expect(uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  });

  it('needs a namespace that is a UUID', () => {
    expect(() => uuidV5('renown', 'name')).toThrow(/must be a UUID/);
  });
});

describe('the identity of an agent', () => {
  it('is the same forever', () => {
    expect(identityIdOf('acme', 'reviewer')).toBe('43b3544d-da8d-566e-bb65-17df1efba4bc');
  });

  it('differs by org and by agent, and no choice of names makes two into one', () => {
    expect(identityIdOf('acme', 'b')).not.toBe(identityIdOf('acme', 'B'));
    expect(identityIdOf('a', 'b/c')).not.toBe(identityIdOf('a/b', 'c'));
    expect(isUuid(identityIdOf('acme', '🦊/../ü'))).toBe(true);
    expectRefusal(() => identityIdOf('a\nb', 'c'), 'org_id');
    expectRefusal(() => identityIdOf('a', 'b\nc'), 'agent_id');
    expectRefusal(() => identityIdOf('a', '\ud800'), 'agent_id');
  });
});

describe('an agent id', () => {
  const check = (id: unknown) => () => {
    const issues = new Issues();
    checkAgentId(id, 'agent_id', issues);
    issues.throwIfAny();
  };

  it.each(['a', 'claude-desktop/filesystem', '../..', '🦊', ' ', '🦊'.repeat(200), 'Ünï çødé'])(
    'may be %j',
    (id) => {
      expect(check(id)).not.toThrow();
    },
  );

  it.each([
    '',
    'a\nb',
    'a\u0000',
    '\u007f',
    '\u0085',
    'x'.repeat(201),
    '🦊'.repeat(201),
    '\ud83e',
    7,
    null,
    undefined,
  ])('may not be %j', (id) => {
    expectRefusal(check(id), 'agent_id');
  });
});
