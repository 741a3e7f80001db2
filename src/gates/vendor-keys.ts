/** The shapes of keys that clouds and services give out, each known by its first letters and its length. */

/** Words that open a key whose parts are joined by dashes or dots; the others are long words of their own. */
export const VENDOR_WORDS =
  'sk xoxb xoxp xoxa xoxs xoxe xapp glpat sg ya29 pypi age hvs hooks accountkey sharedaccesskey key';

/**
 * All shapes in one expression, tried at one place only, so that each costs no more than its own length. Those that may
 * hold a dash do not begin behind one, or a chain of words with dashes would be read again from each of them.
 */
const SHAPES = new RegExp(
  [
    // Amazon Web Services
    '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\\b',
    // GitHub
    'gh[pousr]_[A-Za-z0-9]{36,255}\\b',
    'github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\\b',
    // Google
    '(?<!-)AIza[\\w-]{35}(?![\\w-])',
    '(?<!-)ya29\\.[\\w-]{30,}',
    'GOCSPX-[\\w-]{28}',
    // OpenAI, Anthropic, and others that took the same two letters
    '(?<!-)sk-(?:proj-|svcacct-|admin-|ant-(?:api|admin)\\d\\d-|or-v1-|live-)?(?=[\\w-]{0,200}\\d)[A-Za-z0-9_-]{20,200}',
    // Stripe
    '(?:sk|rk|pk)_live_[A-Za-z0-9]{16,}',
    'whsec_[A-Za-z0-9+/=]{24,}',
    // Slack
    '(?<!-)xox[abpse]-(?:\\d-)?[A-Za-z0-9]{6,}-[A-Za-z0-9-]{6,}',
    '(?<!-)xapp-\\d-[A-Z0-9]{6,}-\\d{6,}-[a-z0-9]{16,}',
    'hooks\\.slack\\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,}',
    // GitLab, npm, PyPI, Hugging Face, DigitalOcean, Shopify, Databricks, Linear, Notion
    '(?<!-)glpat-[\\w-]{20,}',
    'npm_[A-Za-z0-9]{36}\\b',
    '(?<!-)pypi-AgE[\\w-]{40,}',
    'hf_[A-Za-z]{34}\\b',
    'do[oprt]_v1_[a-f0-9]{64}\\b',
    'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\\b',
    'dapi[a-f0-9]{32}\\b',
    'lin_api_[A-Za-z0-9]{40}\\b',
    'ntn_[A-Za-z0-9]{40,}\\b',
    // Docker, Groq, Vault, Atlassian, Telegram
    'dckr_pat_[\\w-]{27,}',
    'gsk_[A-Za-z0-9]{48,}\\b',
    '(?<!-)hvs\\.[\\w-]{24,}',
    'ATATT3[\\w-]{30,}',
    '\\d{8,10}:AA[\\w-]{32,33}(?![\\w-])',
    // SendGrid, Mailgun, Twilio
    'SG\\.[\\w-]{22}\\.[\\w-]{43}',
    'key-[a-f0-9]{32}\\b',
    'SK[a-f0-9]{32}\\b',
    // Azure
    '(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}={0,2}',
    // age
    'AGE-SECRET-KEY-1[A-Z0-9]{58}',
    // JSON Web Tokens: two parts of JSON and a signature
    '(?<!-)eyJ[\\w-]{10,4000}\\.eyJ[\\w-]{10,8000}\\.[\\w-]{10,}',
  ].join('|'),
  'y',
);

/** Whether a key begins here. */
export function findVendorKey(text: string, start: number): boolean {
  SHAPES.lastIndex = start;
  // The placeholder of a manual repeats one letter, or says what it is.
  if (!SHAPES.test(text)) return false;
  const key = text.slice(start, SHAPES.lastIndex);
  return !/(?:x{6}|X{6}|0{10}|\*{4}|(?<![a-z])(?:example|placeholder|your)(?![a-z]))/i.test(
    key.slice(0, 120),
  );
}
