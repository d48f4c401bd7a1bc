import { parse } from 'lossless-json'
import {
  getEndpoint,
  lookUpByEndpoint,
  type EndpointMap,
  type JsonEndpointId,
} from '../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../shared/bridge/response-reading.ts'
import { AppError } from '../../shared/errors.ts'
import { scanElementRanges } from '../../shared/json/list-elements.ts'
import { isExactDouble } from '../../shared/json/scan.ts'
import { getMember } from '../../shared/json/object.ts'

/** One entry of a list: its JSON text as the host sent it, in UTF-8. */
export type JsonEntry = Uint8Array

/** The list that an answer consists of. */
export interface ResponseList {
  readonly entries: readonly JsonEntry[]
  /** The answer itself, as the contract reads it. */
  readonly value: object
  /** How many places of it are not as the contract has them; they are printed all the same. */
  readonly problemCount: number
  /** The host says that this is not everything. */
  readonly isTruncated: boolean
}

/** The lists of answers that hold other things as well: their names are documented, so their rows have no rule for them. */
const named: EndpointMap<string> = { 'studySets.tree': 'nodes', 'studySets.palette': 'colors' }

/**
 * Finds the entries of an answer where the host put them. `otherList`: of another list than the one that the answer consists of. Throws
 * `NOT_JSON`, and `LIST_MISSING` if there is no list in it.
 */
export function parseResponseList(id: JsonEndpointId, bytes: Uint8Array, otherList?: string): ResponseList {
  const { value, lists, problems } = readResponse(id, parseJson(bytes))
  const { response } = getEndpoint(id)
  const ownName = (response.kind === 'json' ? response.list?.member : undefined) ?? lookUpByEndpoint(named, id)
  const name = otherList ?? ownName
  const list = name === undefined ? null : (ownList(value, name) ?? null)
  if (value === undefined || name === undefined || list === null) {
    throw malformed('LIST_MISSING', 'The answer has no list where the contract has one. "call" prints it as it is.')
  }
  const place = lists[name] ?? { member: name, positions: null }
  const members = place.parts?.map((part) => part.member) ?? [place.member]
  return {
    entries: members.flatMap((one) => slicesOf(bytes, one)),
    value,
    problemCount: problems.length,
    isTruncated: getMember(value, 'truncated') === true,
  }
}

const ownList = (value: unknown, name: string): readonly unknown[] | undefined => {
  const list = getMember(value, name)
  return Array.isArray(list) ? list : undefined
}

function slicesOf(bytes: Uint8Array, list: string | null): JsonEntry[] {
  const search = scanElementRanges(bytes, list)
  let step = search.next()
  while (!step.done) step = search.next()
  const ranges = step.value
  const slices: JsonEntry[] = []
  for (let at = 0; at < ranges.length; at += 2) slices.push(bytes.subarray(ranges[at], ranges[at + 1]))
  return slices
}

const [QUOTE, BACKSLASH, LINE_FEED, RETURN] = [34, 92, 10, 13]

/** An entry in one line: only if it has line breaks, white space between its tokens is left out. */
export function toJsonLine(entry: JsonEntry): Uint8Array {
  if (!entry.includes(LINE_FEED) && !entry.includes(RETURN)) return entry
  const line = new Uint8Array(entry.length)
  let length = 0
  let inText = false
  for (let at = 0; at < entry.length; at += 1) {
    const byte = entry[at] ?? 0
    if (!inText && byte <= 32) continue
    line[length++] = byte
    if (byte === QUOTE) inText = !inText
    else if (inText && byte === BACKSLASH) line[length++] = entry[(at += 1)] ?? 0
  }
  return line.subarray(0, length)
}

/** The value of an entry; a number that would be rounded is its text. Of a repeated name the last value counts, as for `JSON.parse`. */
export const parseEntry = (entry: JsonEntry): unknown =>
  parse(new TextDecoder().decode(entry), undefined, {
    parseNumber: (text) => (isExactDouble(text) ? Number(text) : text),
    onDuplicateKey: ({ newValue }) => newValue,
  })

/** The value of an answer. Throws `NOT_JSON`. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    throw malformed('NOT_JSON', 'The answer is not JSON.')
  }
}

const malformed = (code: string, message: string): AppError =>
  new AppError({ kind: 'malformed', code, message, retryable: false })
