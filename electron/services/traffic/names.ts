import type { ExchangeDetail, ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { decoded } from '../../../shared/bridge/endpoints/path-template.ts'

type Names = ExchangeDetail['names']

/** Maximum number of ids of one exchange, and of characters that are searched for them. */
const MOST = 100
const SEARCHED = 262_144

/** Members that hold an id, or a list of them, in whatever spelling. */
const idMember = /^(?:.*(?:ids?|md5|nonce))$/i
const textPair = /"((?:[^"\\]|\\.){1,60})"\s*:\s*(?:"([^"\\]{1,200})"|\[((?:\s*"[^"\\]{1,200}"\s*,?){1,200})\])/g

/** Every id that the request names, and the request ids of its answer. */
export function namesOf(
  row: Pick<ExchangeRow, 'path' | 'template' | 'origin'>,
  request: string,
  response: string,
): Names {
  const found = new Map<string, { member: string; id: string }>()
  const add = (member: string, id: string): void => {
    if (id !== '' && found.size < MOST) found.set(`${member} ${id}`, { member, id })
  }
  if (row.origin.label !== null && (row.origin.kind === 'write' || row.origin.kind === 'tracker')) {
    add('operation', row.origin.label)
  }
  for (const [name, value] of inPath(row)) add(name, value)
  for (const [name, value] of inText(request)) if (idMember.test(name)) add(name, value)
  for (const [name, value] of inText(response)) if (/^request_?id$/i.test(name)) add(name, value)
  return [...found.values()]
}

function* inPath({ path, template }: Pick<ExchangeRow, 'path' | 'template'>): Generator<[string, string]> {
  const [bare = '', query = ''] = path.split('?', 2)
  const segments = bare.split('/')
  for (const [at, part] of template.split('/').entries()) {
    const name = /^\{(.+)\}$/.exec(part)?.[1]
    if (name !== undefined) yield [name, decoded(segments[at] ?? '')]
  }
  for (const [name, value] of new URLSearchParams(query)) if (idMember.test(name)) yield [name, value]
}

function* inText(text: string): Generator<[string, string]> {
  for (const [, name = '', value, list] of text.slice(0, SEARCHED).matchAll(textPair)) {
    if (value !== undefined) yield [name, value]
    else for (const [, one = ''] of (list ?? '').matchAll(/"([^"\\]+)"/g)) yield [name, one]
  }
}
