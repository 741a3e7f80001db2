import type { Gate } from './gate.ts';
import { findHiddenText } from './hidden-text.ts';
import { toFinding } from './offence.ts';
import { sightingsOf } from './text.ts';
import { before, compileRules, type WordRule } from './word-rules.ts';

/**
 * Fails on text that tries to give the agent orders: overrides of its instructions, imitations of a conversation's own
 * markup or of tool calls, text that only a machine sees, and links that carry data away.
 */
export function injection(): Gate {
  return {
    name: 'injection',
    run(context) {
      const sightings = sightingsOf(context);
      return toFinding(findByWord(sightings) ?? findHiddenText(sightings), sightings);
    },
  };
}

const OVERRIDE = 'Text that tries to override the instructions of the agent.';
const MIMICRY = 'Text that imitates the markup of a conversation or a tool call.';
const EXFILTRATION = 'Text that tries to send data away.';

/** `ignore all previous instructions`, in the orders people write it. */
const WHAT =
  '(?:instructions?|prompts?|rules|guidelines|directives?|orders|commands?|context|training|programming|constraints|safety|guardrails|policies)';
const WHOSE =
  '(?:previous(?:ly given)?|prior|above|earlier|preceding|foregoing|existing|original|initial|your|system|all|any|developer|safety|current|former|past|everything)';
const AFTER_IGNORE = new RegExp(
  `^[\\s,:*_"'-]{1,4}(?:(?:all|any|every|each|the|of|my|these|those|this|that|and|or)\\s+){0,4}(?:${WHOSE}(?:,? (?:or|and))?[\\s,/-]+){1,4}(?:(?:of|and|or|the|your|system|safety|developer|given)\\s+){0,3}${WHAT}\\b`,
  'i',
);
const AFTER_FORGET =
  /^\s+(?:everything|all|anything|what)\b[^.!?\n]{0,32}\b(?:above|before|previously|earlier|told|instructed|learned|said|know)\b/i;
const INSTRUCTIONS_ABOVE =
  /^\s+(?:the\s+)?(?:instructions?|prompts?|rules|text)\s+(?:above|before|given|you)/i;

/** Whose rules nobody sets aside in a manual of some program. */
const STRONG = /\b(?:your|system|safety|developer|previous|prior|above|earlier|preceding|foregoing)\b/i;
/** Not an order: it is denied, or said of somebody else. */
const TOLD =
  /\b(?:not|never|n['\u2019]t|cannot|to|would|may|might|can|will|shall|that|which|they|it|we)\s+$/i;
/** An order in another dress: said to whoever reads, or of a model. */
const ADDRESSED =
  /\b(?:(?:you|is|instructed|told|asked|need|want|have|got|going|now|must) to|(?:you|assistant|model|agent|AI|bot) (?:can|may|will|shall|would|might))\s+$/i;

const ignore: WordRule = (place) => {
  const { text, word, start, end } = place;
  const previous = text.charCodeAt(start - 1);
  // `.ignore`, `--ignore`, `no-ignore` are names.
  if (previous === 46 || previous === 45 || previous === 47) return undefined;
  if (!isSpace(text.charCodeAt(end)) && text.charCodeAt(end) !== 44) return undefined;
  const rest = text.slice(end, end + 120);
  const what = AFTER_IGNORE.exec(rest)?.[0];
  if (what === undefined && !AFTER_FORGET.test(rest) && !INSTRUCTIONS_ABOVE.test(rest)) return undefined;
  const told = TOLD.test(before(text, start, 10));
  if (told && !ADDRESSED.test(before(text, start, 24))) return undefined;
  // `override existing rules` is said of a file too.
  const plain = !told && /^[idf]/.test(word);
  return plain || STRONG.test(what ?? '') ? OVERRIDE : undefined;
};

/** `New instructions:` and `SYSTEM PROMPT:` as if somebody else were speaking now. */
const instructions: WordRule = ({ text, start, end }) =>
  /^\s{0,3}(?:[:\u2014](?!\s*(?:see|refer|read|page|none|here)\b)|are as follows|follow)/i.test(
    text.slice(end, end + 24),
  ) &&
  /\b(?:new|updated|revised|real|actual|important|urgent|hidden|secret|special|override)\s+(?:system\s+)?$/i.test(
    before(text, start, 28),
  )
    ? OVERRIDE
    : undefined;

const prompt: WordRule = ({ text, start, end }) =>
  /\b(?:reveal|print|output|show|repeat|leak|display|send|tell me|disclose|reproduce)\s+(?:me\s+)?(?:your|the)\s+(?:entire\s+|full\s+|hidden\s+|secret\s+|original\s+|whole\s+)?(?:system\s+|initial\s+|developer\s+)$/i.test(
    before(text, start, 64),
  ) && !/^[-_\w]/.test(text.slice(end, end + 1))
    ? OVERRIDE
    : undefined;

/** The turn markers of common chat formats; `<|`, `[/` and `<<` before them. */
const turnMarker: WordRule = ({ text, start, end }) =>
  (/<\|$/.test(before(text, start, 2)) && text.startsWith('|>', end)) ||
  (/(?:\[\/?|<<\/?)$/.test(before(text, start, 3)) &&
    /^(?:\]|>>)/.test(text.slice(end, end + 2)) &&
    isUpper(text, start))
    ? MIMICRY
    : undefined;

/** How what pretends to come from above begins; five words are more than a field of a document has. */
const ORDER_WORDS = /^\s*(?:you|ignore|disregard|from now|do not|new|the user|override|always|never|please)/i;
const FIVE_WORDS = /^\s*(?:[^\s<]+\s+){4}[^\s<]/;

/** `<system>` and `<|system|>`, `### System:` and a line that begins with `SYSTEM:`. */
const role: WordRule = ({ text, word, start, end }) => {
  const head = before(text, start, 12);
  const tail = text.slice(end, end + 48);
  if (/<\|$/.test(head) && tail.startsWith('|>')) return MIMICRY;
  const tag = /(?:^|[\s>])<\/?$/.test(head);
  if (tag && /^[-_](?:prompt|message|reminder|instructions?|note|override)>\s*\S/.test(tail)) return MIMICRY;
  if (tag && tail.startsWith('>'))
    return ORDER_WORDS.test(tail.slice(1)) || FIVE_WORDS.test(tail.slice(1)) ? MIMICRY : undefined;
  if (/(?:^|\n|\f)\s{0,3}#{2,4} $/.test(head)) {
    const named = /^( (?:prompt|message|instructions?))?:/i.exec(tail);
    // `### System: requirements` is a heading of a manual.
    if (!named) return undefined;
    return named[1] || word === 'assistant' || ORDER_WORDS.test(tail.slice(1)) ? MIMICRY : undefined;
  }
  if (!isUpper(text, start) || !/(?:^|\n|\f)[[(*\s]{0,4}$/.test(head)) return undefined;
  const named = /^(?: (?:PROMPT|MESSAGE|NOTE|OVERRIDE|ALERT|INSTRUCTIONS?))?[\])*]{0,3}:/i.exec(tail);
  return named && ORDER_WORDS.test(tail.slice(named[0].length)) ? MIMICRY : undefined;
};

/** `<tool_call>`, `<invoke name=`, `"tool_calls": [{`, as only a model's own turn has them. */
const toolCall: WordRule = ({ text, start, end }) => {
  const head = before(text, start, 24);
  const tail = text.slice(end, end + 80);
  if (/<(?:\w{1,12}:)?$/.test(head))
    return /^(?:\s+name\s*=|>\s*(?:[{<[]|$))/.test(tail) ? MIMICRY : undefined;
  if (/\[$/.test(head) && /^\]\s*[{[]/i.test(tail)) return MIMICRY;
  return undefined;
};

/** A passage addressed to machines that read. */
const address: WordRule = ({ text, start, end }) =>
  /^(?:\s+(?:instructions?|message|note|notice))?\s+(?:for|to)\s+(?:the\s+|all\s+|any\s+)?(?:AI|LLM|language model|assistant|agent|model|bot|chatbot|copilot)s?\b.{0,16}[:,.!]/i.test(
    text.slice(end, end + 80),
  ) && /(?:^|[\s<(*[!\-#])$/.test(before(text, start, 1))
    ? OVERRIDE
    : undefined;

/** The role that a jailbreak hands out. */
const persona: WordRule = ({ text, start, end }) => {
  const word = text.slice(start, end);
  const head = before(text, start, 48);
  if (word === 'DAN') return /\b(?:you are(?: now)?|act as|become|as)\s+$/i.test(head) ? OVERRIDE : undefined;
  return /\b(?:you are(?: now)?|act as(?: an?)?|enter|enable|activate|become(?: an?)?)\s+(?:an?\s+)?(?:fully\s+|completely\s+)?$/i.test(
    head,
  )
    ? OVERRIDE
    : undefined;
};

const you: WordRule = ({ text, start, end }) =>
  /^\s+(?:are\s+(?:now|no longer)\s+(?:an?\s+|in\s+|bound\s+|restricted|subject|required|the\s+)?(?:unrestricted|different|new|evil|uncensored|free|developer|jailbroken|dan\b|bound|by\b|restricted|limited|root|admin|god)|(?:must|should|will)\s+(?:now\s+)?(?:ignore|disregard|forget)\s+(?:all|any|your|every))/i.test(
    text.slice(end, end + 80),
  ) && /(?:^|[\s"'.,:;!(>*])$/.test(before(text, start, 1))
    ? OVERRIDE
    : undefined;

const secrecy: WordRule = ({ text, end }) =>
  /^\s*(?:not|n['\u2019]t)\s+(?:tell|mention|inform|alert|notify|reveal (?:this|it|anything) to|show (?:this|it) to|let)\s+(?:this to\s+|it to\s+|anything to\s+)?(?:the\s+)?(?:user|human|operator)\b/i.test(
    text.slice(end, end + 64),
  )
    ? OVERRIDE
    : undefined;

const LOOT =
  "(?:api[ _-]?keys?|passwords?|secrets?|credentials?|tokens?|private keys?|environment variables|conversation|chat history|system prompt|user(?:'s|\u2019s)? (?:data|e-?mails?|files|messages|information)|session cookies?|ssh keys?|\\.env)";
const AFTER_SEND = new RegExp(
  `^\\s+(?:all\\s+|any\\s+|every\\s+)?(?:of\\s+)?(?:the\\s+|your\\s+|their\\s+|this\\s+|its\\s+|user\\s+|my\\s+)*(?:contents?\\s+of\\s+|full\\s+|entire\\s+|whole\\s+|stored\\s+|saved\\s+)*(?:the\\s+)?${LOOT}\\b[^.\\n]{0,60}\\b(?:to|at|via|using)\\s+(?:https?:|the\\s+(?:following|url|address|endpoint)|\\S+@|this\\s+(?:url|address|endpoint)|[\\w-]+\\.[a-z]{2,})`,
  'i',
);

const send: WordRule = ({ text, end }) =>
  isSpace(text.charCodeAt(end)) && AFTER_SEND.test(text.slice(end, end + 160)) ? EXFILTRATION : undefined;

const exfiltrate: WordRule = ({ text, end }) =>
  /^\s+(?:the|all|any|your|user|this|every)\b/i.test(text.slice(end, end + 16)) ? EXFILTRATION : undefined;

const PRIVATE = new RegExp(`${LOOT}|data|history|prompt|context|session`, 'i');

/** A link or picture in markdown whose address has a place for data, or brings a long blob along. */
const link: WordRule = (place) => {
  const { text, start } = place;
  const bracket = text.charCodeAt(start - 1) === 60 ? start - 2 : start - 1;
  if (text.charCodeAt(bracket) !== 40 || text.charCodeAt(bracket - 1) !== 93) return undefined;
  const image = isImage(text, bracket - 1);
  const url = /^[^\s)"'\f]{8,512}/.exec(text.slice(start, start + 512))?.[0] ?? '';
  // A link has no links inside.
  place.cover(start + url.length);
  const query = url.indexOf('?');
  if (query === -1)
    return image && /\/(?:\{\{?|\[|<|\$\{|%7B)[\w ]+/i.test(url.slice(8)) ? EXFILTRATION : undefined;
  const parameters = url.slice(query);
  // A picture is fetched by itself; of links only those that ask for something private carry it away.
  if (/=(?:\{\{?|\[|<|\$\{|\$\(|%7B|%5B)\s*[A-Za-z]/i.test(parameters) && (image || PRIVATE.test(parameters)))
    return EXFILTRATION;
  if (
    /[?&](?:data|q|leak|exfil|secret|token|password|history|conversation|context|prompt|content|payload|c|d|m|msg)=(?:INSERT|YOUR|BASE64|DATA|SECRET|SUMMARY|HISTORY|CONVERSATION|PASSWORD|API_?KEY)/.test(
      parameters,
    )
  )
    return EXFILTRATION;
  return image && /=[A-Za-z0-9+/_-]{100,}/.test(parameters) ? EXFILTRATION : undefined;
};

/** Whether the square bracket that closes here was opened behind an exclamation mark. */
function isImage(text: string, closing: number): boolean {
  for (let at = closing - 1; at > closing - 100 && at > 0; at--) {
    const code = text.charCodeAt(at);
    if (code === 91) return text.charCodeAt(at - 1) === 33;
    if (code === 93 || code === 10) return false;
  }
  return false;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13 || code === 0xa0;
}

function isUpper(text: string, start: number): boolean {
  const code = text.charCodeAt(start + 1);
  return code >= 65 && code <= 90;
}

const findByWord = compileRules({
  'ignore disregard forget override bypass overrule': ignore,
  'instructions instruction': instructions,
  prompt,
  'im_start im_end inst sys endoftext start_header_id begin_of_text python_tag': turnMarker,
  'system assistant developer': role,
  'tool_call tool_calls tool_use function_call function_calls function_results invoke': toolCall,
  important: address,
  'jailbreak jailbroken dan unrestricted': persona,
  you,
  do: secrecy,
  'send forward': send,
  exfiltrate,
  'http https': link,
});
