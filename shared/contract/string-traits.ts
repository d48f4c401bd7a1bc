/** Formats that a text may have; a text may have several. */
export const stringFormats = ['date-time', 'date', 'uuid', 'uri', 'md5', 'integer', 'base64', 'color'] as const
export type StringFormat = (typeof stringFormats)[number]

const COMMON_DAY =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))'
const LEAP_YEAR = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
const DATE = `(?:\\d{4}-${COMMON_DAY}|${LEAP_YEAR}-02-29)`
const HOUR_AND_MINUTE = '(?:[01]\\d|2[0-3]):[0-5]\\d'

const patterns: Readonly<Record<StringFormat, RegExp>> = {
  'date-time': new RegExp(`^${DATE}[Tt]${HOUR_AND_MINUTE}:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-]${HOUR_AND_MINUTE})$`),
  date: new RegExp(`^${DATE}$`),
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  uri: /^[a-z][a-z0-9+.-]*:\/\/(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9a-f]{2})+$/i,
  md5: /^[0-9a-f]{32}$/i,
  integer: /^-?\d{1,20}$/,
  // A text of hexadecimal digits alone is rather a hash.
  base64: /^(?=.*[G-Zg-z+/=])(?:[A-Za-z0-9+/]{4}){4,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  color: /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i,
}
const tests = stringFormats.map((format) => patterns[format])
/** Longer texts have no format, so that no pattern runs over a whole picture. */
const MAX_FORMAT_CHARS = 300

/** All formats, as bits in the order of `stringFormats`. */
export const ALL_FORMATS = 2 ** stringFormats.length - 1

export function toFormats(...formats: readonly StringFormat[]): number {
  return formats.reduce((bits, format) => bits | (1 << stringFormats.indexOf(format)), 0)
}

/** Removes the formats that a text does not have. */
export function narrowFormats(formats: number, text: string): number {
  if (formats === 0 || text.length > MAX_FORMAT_CHARS) return 0
  let remaining = formats
  for (let index = 0; index < tests.length; index += 1) {
    const bit = 1 << index
    if ((remaining & bit) !== 0 && tests[index]?.test(text) === false) remaining &= ~bit
  }
  return remaining
}

export function listFormats(formats: number): StringFormat[] {
  return stringFormats.filter((_, index) => (formats & (1 << index)) !== 0)
}

/** A text that may be a key or a part of a path: an id, not a word. */
const ID_TEXT =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=.*\d)[0-9a-f]{12,}|-?\d+|(?=(?:.*\d){4})[\w.:-]{16,})$/i
/** A name as a programmer gives it; anything else in its place is a value. */
const MEMBER_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]{0,63}$/

export function looksLikeId(text: string): boolean {
  return ID_TEXT.test(text)
}

/** Other keys are values, such as ids or titles. */
export function isMemberName(key: string): boolean {
  return MEMBER_NAME.test(key) && !ID_TEXT.test(key)
}

/** A word of the interface: `text`, `not_started`, `NOTE_NOT_FOUND`; no words of a person. */
const CODE_WORD = /^(?:[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*(?:[-_.][a-z0-9]+)*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)$/
const MAX_WORD_CHARS = 32
/** Members whose values belong to a person's library, however short they are. */
const PRIVATE_MEMBER =
  /(?:ids?|md5|nonce|hash|titles?|names?|texts?|contents?|comments?|labels?|captions?|descriptions?|summary|message|reason|paths?|files?|folders?|urls?|uris?|links?|tokens?|secrets?|passwords?|keys?|authors?|users?|emails?|tags?|hashtags?|topics?|subjects?|quer(?:y|ies)|terms?|words?|markdown|html|prefix|notes?|questions?|causes?|value|values|q|owners?|creators?|decks?|answers?|categor(?:y|ies)|excerpts?|snippets?|previews?|headings?|fronts?|backs?|alias(?:es)?|devices?|selections?|repl(?:y|ies))$/i
/** Members whose keys belong to a person's library: `tags`, `notesByTag`, but not `tag`. */
const DICTIONARY_MEMBER = /(?:^b|B)y[A-Z_]|_by_/

/** The object in this member has values as keys. */
export function holdsDictionary(member: string): boolean {
  return (
    DICTIONARY_MEMBER.test(member) ||
    (/s$/i.test(member) && (PRIVATE_MEMBER.test(member) || PRIVATE_MEMBER.test(member.slice(0, -1))))
  )
}

/** Members whose numbers identify something, so even their range belongs to the library. */
const ID_MEMBER = /(?:ids?|md5|nonce|hash|code|token|key)$/i

/** The text may be kept as one of a few values of the member. */
export function isEnumerable(member: string | null, text: string): boolean {
  return (
    text.length <= MAX_WORD_CHARS &&
    CODE_WORD.test(text) &&
    !ID_TEXT.test(text) &&
    member !== null &&
    !PRIVATE_MEMBER.test(member)
  )
}

export function mayKeepRange(member: string | null): boolean {
  return member !== null && !ID_MEMBER.test(member)
}
