export type LimitBound = 'min' | 'max' | 'default'

/** Limits that apply to a page span and belong to no single parameter. */
export const pageSpanLimits: readonly { readonly endpoint: string; readonly name: string }[] = [
  { endpoint: 'documents.pages', name: 'pages' },
  { endpoint: 'documents.tocCandidates', name: 'pages' },
  { endpoint: 'bundles.prepare', name: 'pages' },
]

const allNoteIds = ['notes.batchGet', 'notes.metadata', 'notes.hashtags', 'notes.fold'].map((id) => `${id} noteIds`)
const copyKeys = ['notes.copy noteIds', 'notes.copy copies.noteIds']
const moveKeys = ['notes.move noteIds', 'notes.move moves.noteIds']

interface LimitMeaning {
  readonly words: RegExp
  readonly rank: 1 | 2
  /** Each key is an endpoint id and the name of one of its limits, separated by a space. */
  readonly keys: readonly string[]
}

/**
 * The words of a number's path in the capabilities, without `min`, `max` and `default`, tell which
 * limits the number sets: `limits.tree.maxPageSize` is "tree page size". The contract does not show
 * the names. `rank` says how specific the words are.
 */
const meanings: readonly LimitMeaning[] = [
  { words: /^(?:page size|limit|nodes)$/, rank: 1, keys: ['studySets.tree limit'] },
  {
    words:
      /^(?!.*\b(?:walk|traversal|depth|print|cap|total|decks?|batch|search|excerpts?|hashtags?|sync|rate|throttle|requests?|second|minute|concurren\w*|cache|titles?|texts?|comments?|chars?|characters|length|bytes|kb|mb|timeout|ms)\b).*\b(?:tree|listing|mind ?map|nodes?|cards?)\b.*\b(?:limit|page size|nodes|per (?:page|response))$/,
    rank: 2,
    keys: ['studySets.tree limit'],
  },
  { words: /^(?:study sets? )?tree$/, rank: 2, keys: ['studySets.tree limit'] },
  {
    words: /^(?:(?:images?|pictures?|content|media|endpoints?) )*(?:longest )?edge(?: pixels| px)?$/,
    rank: 1,
    keys: ['notes.content maxEdge', 'documents.pageContent maxEdge'],
  },
  { words: /\b(?:note|card)s?\b.*\bedge(?: pixels| px)?$/, rank: 2, keys: ['notes.content maxEdge'] },
  {
    words: /\b(?:document|page|handwriting)s?\b.*\bedge(?: pixels| px)?$/,
    rank: 2,
    keys: ['documents.pageContent maxEdge'],
  },
  { words: /^(?:note ids|ids|ids per (?:batch|request)|batch|batch size)$/, rank: 1, keys: allNoteIds },
  {
    words:
      /^(?!.*\b(?:sync|ocr|scan|upload|import|export|bundles?|decks?|review|branch|copy|move|delete|hashtags?|metadata|fold|writing|strokes?)\b).*\bbatch\b.*\b(?:get|note ids|ids|notes|items|size)$/,
    rank: 2,
    keys: ['notes.batchGet noteIds'],
  },
  { words: /\bmetadata\b.*\bnote ids$/, rank: 2, keys: ['notes.metadata noteIds', 'notes.batchGet noteIds'] },
  { words: /\bhashtags?\b.*\bnote ids$/, rank: 2, keys: ['notes.hashtags noteIds'] },
  { words: /\bfold\b.*\bnote ids$/, rank: 2, keys: ['notes.fold noteIds'] },
  { words: /\bbranch\b.*\bnote ids$/, rank: 1, keys: [...moveKeys, ...copyKeys, 'notes.delete noteIds'] },
  { words: /\bcopy\b.*\b(?:note ids|source roots)$|^source roots$/, rank: 2, keys: copyKeys },
  { words: /\bmove\b.*\bnote ids$/, rank: 2, keys: moveKeys },
  { words: /\bdelete\b.*\bnote ids$/, rank: 2, keys: ['notes.delete noteIds'] },
  { words: /\bhashtags$/, rank: 1, keys: ['notes.hashtags hashtags'] },
  { words: /\bmasks$/, rank: 1, keys: ['notes.imageOcclusions masks'] },
  { words: /\b(?:deck|review)s?\b.*\bcards$/, rank: 2, keys: ['decks.addCards cards'] },
  { words: /\brender\b.*\bwidth$/, rank: 2, keys: ['notes.render width'] },
  { words: /\bsync\b.*\b(?:limit|events|page size)$/, rank: 2, keys: ['sync.events limit'] },
  {
    words: /\b(?:document|ocr|scan)s?\b.*\bpages$/,
    rank: 1,
    keys: pageSpanLimits.map(({ endpoint, name }) => `${endpoint} ${name}`),
  },
  { words: /\b(?:toc|candidates)\b.*\bpages$/, rank: 2, keys: ['documents.tocCandidates pages'] },
  { words: /\b(?:bundle|prepare)s?\b.*\bpages$/, rank: 2, keys: ['bundles.prepare pages'] },
]

/** Words for measured values, which are not limits. */
const measurementWord = /\b(?:stats|statistics|counts?|usage|current|totals)\b/

export function findLimitsByPath(path: readonly string[]): readonly Pick<LimitMeaning, 'keys' | 'rank'>[] {
  if (path.some((step) => measurementWord.test(toLimitWords(step)))) return []
  const words = toLimitWords(path.join(' ')).replace(/^(?:limits? )+/, '')
  return meanings.filter((meaning) => meaning.words.test(words))
}

/** A plain number in the capabilities is a maximum, and two in a list are a range. */
export function parseBounds(
  path: readonly string[],
  values: readonly number[],
): { readonly bound: LimitBound; readonly value: number }[] {
  const [first, second, ...more] = values
  const isBound = (value: number | undefined): value is number =>
    value !== undefined && Number.isSafeInteger(value) && value >= 0
  if (!isBound(first) || more.length > 0) return []
  if (second !== undefined) {
    if (!isBound(second) || second < Math.max(1, first)) return []
    return [
      { bound: 'min', value: first },
      { bound: 'max', value: second },
    ]
  }
  const bound = findBound(path)
  return bound !== 'min' && first < 1 ? [] : [{ bound, value: first }]
}

function findBound(path: readonly string[]): LimitBound {
  for (const step of [...path].reverse()) {
    const words = splitWords(step)
    if (words.includes('default')) return 'default'
    if (words.some((word) => /^min(?:imum)?$/.test(word))) return 'min'
    if (words.some((word) => /^max(?:imum)?$/.test(word))) return 'max'
  }
  return 'max'
}

const splitWords = (name: string): string[] =>
  name
    .slice(0, 200)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')

const boundWord = /^(?:min(?:imum)?|max(?:imum)?|default|items|value)$/

/** Converts a name to words in lower case, without `min`, `max` and `default`. */
export function toLimitWords(name: string): string {
  return splitWords(name)
    .filter((word) => !boundWord.test(word))
    .join(' ')
}
