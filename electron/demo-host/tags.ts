import { badParameter, DemoError } from './reply.ts'

/** A full path with its `#`. Throws 422 for empty levels and for several tags in one text (observed §5). */
function tagOf(text: string, at: number): string {
  const path = text.replace(/^#/, '')
  if (path === '' || /\s|#/.test(path) || path.split('/').includes('')) {
    throw badParameter(`hashtags[${at}]`, 'must be one full path without empty levels.')
  }
  return `#${path}`
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** What a hashtag change makes of a card's tags. Case does not count; the first spelling stays. Throws 422. */
export function tagChange(body: Readonly<Record<string, unknown>>): (tags: readonly string[]) => string[] {
  const given = (body['hashtags'] as readonly string[]).map(tagOf)
  const operation = body['operation']
  const below = body['includeDescendants'] === true
  if (below && operation !== 'remove') throw badParameter('includeDescendants', 'belongs to "remove" alone.')
  const goes = (tag: string): boolean =>
    given.some((one) => same(one, tag) || (below && tag.toLowerCase().startsWith(`${one.toLowerCase()}/`)))
  return (tags) => {
    if (operation === 'remove') return tags.filter((tag) => !goes(tag))
    const kept = operation === 'replace' ? tags.filter((tag) => given.some((one) => same(one, tag))) : [...tags]
    for (const tag of given) if (!kept.some((one) => same(one, tag))) kept.push(tag)
    return kept
  }
}

/** A text that consists only of tags belongs on the tags' own route. Throws `HASHTAG_ROUTE_REQUIRED`. */
export function refuseTags(noteid: string, text: string): void {
  if (!/^\s*(#[^\s#/][^\s#]*\s*)+$/.test(text)) return
  const hashtags = text.trim().split(/\s+/)
  throw new DemoError(
    422,
    'HASHTAG_ROUTE_REQUIRED',
    'Hashtags are written by POST /notes/hashtags. Nothing was done.',
    {
      details: { example: { noteIds: [noteid], operation: 'add', hashtags, confirm: true } },
    },
  )
}
