import { describe, expect, it } from 'vitest';
import { itJudges, judge } from '../../test/support/judge.ts';
import { pii } from './pii.ts';

const MUST_FAIL = [
  'ann.lee@gmail.com',
  'Write to Ann <ann_lee+news@mail.acme.co.uk>.',
  'mailto:bob@acme.io?subject=hi',
  '{"email":"carol@acme.dev"}',
  { user: { contact: 'dave@acme.org' } },
  ["'eve@acme.com'"],
  'x@a.museum',
  '+14155552671',
  'Call +1 415 555 2671 now',
  'tel:+442079460958',
  '+49 30 901820',
  '+33 1 42 68 53 00',
  '(212) 736-5000',
  '212-736-5000',
  '212.736.5000',
  '1-212-736-5000',
  'Phone: 020 7946 0958',
  '07700 900123',
  '0161 496 0000',
  '01 42 68 53 00',
  '030 90182000',
  '536-22-8726',
  'SSN 219-09-9998',
  '4111111111111111',
  '4242 4242 4242 4242',
  '4012-8888-8888-1881',
  '5555555555554444',
  '2223003122003222',
  '378282246310005',
  '3782 822463 10005',
  '6011111111111117',
  '3530111333300000',
  { card: 4111111111111111 },
  'DE89370400440532013000',
  'DE89 3704 0044 0532 0130 00',
  'GB29 NWBK 6016 1331 9268 19',
  'FR1420041010050500013M02606',
  'IBAN: NL91ABNA0417164300.',
];

const MUST_PASS = [
  'user@example.com',
  'admin@mail.example.org',
  'root@localhost',
  'logo@2x.png',
  'npm install left-pad@1.3.0',
  '@types/node@20.19.43',
  'git@github.com:acme/renown.git',
  'postgres://user:pass@db.acme.com/app',
  'class A { @Input() name }',
  'Meet me @ 5pm',
  'a @ b.com',
  '2024-01-15',
  '15.01.2024',
  '2024-01-15T10:20:30Z',
  '1700000000',
  '1700000000000',
  '192.168.1.100',
  '10.0.0.1:8080',
  'version 1.22.333.4444',
  'ISBN 978-3-16-148410-0',
  '550e8400-e29b-41d4-a716-446655440000',
  '555-0123',
  '212-555-0123',
  'const x = a+14155552671;',
  '1,234,567,890',
  '3.14159265358979',
  '0.4111111111111111',
  '4111111111111112',
  '4111 1111 1111 1112',
  '1234567890123456',
  '0000000000000000',
  'order 4111-1111',
  '000-12-3456',
  '666-12-3456',
  '912-12-3456',
  '078-05-1120',
  '123-456-789',
  'part no. AB-212-736-5000',
  'DE89370400440532013001',
  'XX89370400440532013000',
  'US12 3456 7890',
  'AB12',
  { id: 123456789, ratio: 0.5, year: 2024 },
  'lines 10-20, 30-40 and 100-200',
  '#4155552671',
  '01 02 03 04 05 06 07 08',
  'sha 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
];

describe('pii', () => {
  itJudges(pii(), MUST_FAIL, MUST_PASS);

  it.each([
    ['email', 'ann@acme.com'],
    ['phone', '+14155552671'],
    ['ssn', '536-22-8726'],
    ['card', '4111111111111111'],
    ['iban', 'DE89370400440532013000'],
  ])('does not look for %s when told so', (kind, output) => {
    expect(judge(pii({ [kind]: false }), output).passed).toBe(true);
  });

  it('lets pass what is on its list, and nothing else', () => {
    const gate = pii({
      allow: ['support@acme.com', '@public.org', '+1 415 555 2671', 'DE89 3704 0044 0532 0130 00'],
    });
    const allowed = ['Support@ACME.com', 'anyone@public.org', '+14155552671', 'DE89370400440532013000'];
    expect(allowed.map((output) => judge(gate, output).passed)).toEqual([true, true, true, true]);
    expect(judge(gate, 'support@acme.com and sales@acme.com').passed).toBe(false);
  });
});
