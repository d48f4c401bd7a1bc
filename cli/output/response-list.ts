// Converts responses of the host to entries, and prints them as JSON, csv or text.
// It makes no requests except for the pages of the card listing.
// Read this file first, then entry-printer.ts.

import { parse } from 'lossless-json'
import type { Io } from '../base/io.ts'
import {
  getEndpoint,
  lookUpByEndpoint,
  type EndpointMap,
  type JsonEndpointId,
  type KnownEndpoint,
} from '../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../shared/bridge/response-reading.ts'
import { AppError } from '../../shared/errors.ts'
import { scanElementRanges } from '../../shared/json/list-elements.ts'
import { isExactDouble } from '../../shared/json/scan.ts'
import { getMember, isObject } from '../../shared/json/object.ts'

/** JSON text of an entry as the host sent it, in UTF-8. */
export type JsonEntry = Uint8Array

export interface ResponseList {
  readonly entries: readonly JsonEntry[]
  /** The whole response, read according to the contract. */
  readonly value: object
  /** Problems that may be held against the host. Entries with problems are printed all the same. */
  readonly problemCount: number
  /** The host says that the list is incomplete. */
  readonly isTruncated: boolean
}

/** Lists in responses for whose endpoints the table declares no list. */
const listMembers: EndpointMap<string> = { 'studySets.tree': 'nodes', 'studySets.palette': 'colors' }

/**
 * @param otherList name of the list, if it is not the main list of the response
 * @throws NOT_JSON; LIST_MISSING when the response has no list where the contract has one;
 *   SHAPE_UNKNOWN when the contract does not show where the list is, and none is found
 */
export function parseResponseList(id: JsonEndpointId, bytes: Uint8Array, otherList?: string): ResponseList {
  return readResponseList(id, bytes, parseJson(bytes), otherList)
}

/** @param body the response, which may name members in the way of the schema */
export function readResponseList(
  id: JsonEndpointId,
  bytes: Uint8Array,
  body: unknown,
  otherList?: string,
): ResponseList {
  const { value, lists, bindingProblemCount, isShapeUnknown } = readResponse(id, body)
  if (isShapeUnknown) throw new AppError(SHAPE_UNKNOWN, { responseBytes: bytes.slice().buffer })
  const name = otherList ?? getMainListName(getEndpoint(id))
  const list = name === undefined ? null : (getList(value, name) ?? null)
  if (value === undefined || name === undefined || list === null) {
    throw createMalformedError(
      'LIST_MISSING',
      'The answer has no list where the contract has one. "call" prints it as it is.',
    )
  }
  const location = lists[name] ?? { member: name, positions: null }
  const parts = location.parts ?? [location]
  return {
    entries: parts.flatMap((part) => sliceEntries(bytes, part)),
    value,
    problemCount: bindingProblemCount,
    isTruncated: getMember(value, 'truncated') === true,
  }
}

/** Undefined if responses of this endpoint have no list. */
export function getMainListName({ id, response }: KnownEndpoint): string | undefined {
  return response.kind === 'json' ? (response.list?.member ?? lookUpByEndpoint(listMembers, id)) : undefined
}

const getList = (value: unknown, name: string): readonly unknown[] | undefined => {
  const list = getMember(value, name)
  return Array.isArray(list) ? list : undefined
}

interface SentList {
  readonly member: string | null
  readonly keys?: readonly string[]
  readonly positions?: readonly number[] | null
}

/** An entry of a map by id gets its key as a member. */
function sliceEntries(bytes: Uint8Array, { member, keys, positions }: SentList): JsonEntry[] {
  const search = scanElementRanges(bytes, member)
  let step = search.next()
  while (!step.done) step = search.next()
  const ranges = step.value
  const slices: JsonEntry[] = []
  for (let index = 0; index < ranges.length; index += 2) slices.push(bytes.subarray(ranges[index], ranges[index + 1]))
  return keys?.map((key, index) => withKey(slices[positions?.[index] ?? index] ?? new Uint8Array(), key)) ?? slices
}

/** Prints a response as sent, and ends its last line. */
export async function printResponse(io: Io, body: Uint8Array): Promise<void> {
  await io.print(body)
  if (body.at(-1) !== LINE_FEED) await io.print('\n')
}

const encoder = new TextEncoder()

function withKey(entry: JsonEntry, key: string): JsonEntry {
  const entryMembers = parseJsonEntry(entry)
  if (!isObject(entryMembers) || Object.hasOwn(entryMembers, 'id')) return entry
  const separator = Object.keys(entryMembers).length === 0 ? '' : ','
  return Buffer.concat([encoder.encode(`{"id":${JSON.stringify(key)}${separator}`), entry.subarray(1)])
}

const [QUOTE, BACKSLASH, LINE_FEED, RETURN] = [34, 92, 10, 13]

/** Puts an entry on one line. If it has line breaks, white space between its tokens is left out. */
export function toJsonLine(entry: JsonEntry): Uint8Array {
  if (!entry.includes(LINE_FEED) && !entry.includes(RETURN)) return entry
  const line = new Uint8Array(entry.length)
  let length = 0
  let isInString = false
  for (let index = 0; index < entry.length; index += 1) {
    const byte = entry[index] ?? 0
    if (!isInString && byte <= 32) continue
    line[length++] = byte
    if (byte === QUOTE) isInString = !isInString
    else if (isInString && byte === BACKSLASH) line[length++] = entry[(index += 1)] ?? 0
  }
  return line.subarray(0, length)
}

/** A number that would be rounded becomes its text; of a repeated name, the last value counts. */
export function parseJsonEntry(entry: JsonEntry): unknown {
  return parse(new TextDecoder().decode(entry), undefined, {
    parseNumber: (text) => (isExactDouble(text) ? Number(text) : text),
    onDuplicateKey: ({ newValue }) => newValue,
  })
}

/** @throws NOT_JSON */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    throw createMalformedError('NOT_JSON', 'The answer is not JSON.')
  }
}

const SHAPE_UNKNOWN = {
  kind: 'unread',
  code: 'SHAPE_UNKNOWN',
  message:
    'The contract leaves the shape of this response open, and this program finds no list in the one sent. It is printed as sent.',
  retryable: false,
} as const

const createMalformedError = (code: string, message: string): AppError =>
  new AppError({ kind: 'malformed', code, message, retryable: false })
