import { describe, expect, it, test } from 'vitest'
import type { z } from 'zod'
import { knownErrors } from '../../../shared/bridge/errors.ts'
import { getEndpointById, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import { noteItemSchema } from '../../../shared/bridge/resources/notes.ts'
import { salvage } from '../../../shared/bridge/salvage.ts'

const color = { hex: '#AABBCC', rgba: { r: 170, g: 187, b: 204, a: 1 } }
const band = {
  noteid: 'N',
  closed: false,
  owner: 'user',
  blankPageNo: 1,
  hasInk: true,
  seq: 0,
  live: true,
  inkParts: 2,
  height: 240,
  physicalNoteId: 'P',
  role: 'practice',
  pageNo: 1,
}
const target = { topicid: 'T', noteid: 'N', layerId: '' }

/** Responses as in the tables of spec §2, with every promised field of the right type. */
const documentedResponses: Record<string, object> = {
  'studySets.palette': {
    bridgeApiVersion: '0.91',
    studySetId: 'T',
    title: 'Anatomy',
    count: 1,
    source: 'default',
    appearance: 'light',
    colors: [{ colorIndex: 0, baseColor: color, displayColor: color }],
  },
  'documents.excerpts': {
    bookmd5: 'B',
    title: 'Book',
    total: 1,
    topicCount: 1,
    duplicates: [{ anything: true }],
    items: [{ noteid: 'R', cardNoteId: 'N', topicid: 'T', page: 1, startpos: 0, endpos: 9, text: 'x' }],
    truncated: false,
  },
  'notes.blankBands': { bridgeApiVersion: '0.91', band, bands: [band], noteid: 'N' },
  'notes.practiceVerdict': {
    persisted: true,
    noteid: 'N',
    commentId: 'C',
    practice: { addon: 'a', topic: 'T', card: 'N', self: 'again', reason: 'careless', reasonLabel: 'Careless', at: 1 },
    hashtags: ['#practice/question'],
    tagsChanged: true,
    commentsRevision: '2',
    bridgeApiVersion: '0.91',
  },
  'writing.sessionFocusBegin': {
    schemaVersion: 1,
    bridgeApiVersion: '0.91',
    requestId: 'r',
    runId: 'u',
    attemptId: 'a',
    state: 'accepted',
    outcome: 'pending',
    settled: false,
    persisted: true,
    ready: false,
    canSwitch: false,
  },
  'writing.pencilCommit': {
    schemaVersion: 1,
    state: 'pending',
    currentness: 'at-native-callback-only',
    ready: false,
    surfaceId: 's',
    bridgeApiVersion: '0.91',
    inputGate: {
      scope: 'application-ui-only',
      state: 'active',
      programmaticNavigationBlocked: true,
      grantsCallerLease: false,
    },
    topicid: 'T',
    scope: 'focus-pencil-snapshot-only',
    requestId: 'r',
    windowId: 'w',
    receipt: null,
    canSwitch: false,
    target,
    inputFrozen: true,
    includesNonPencilEditors: false,
    durability: 'process-local-operation-record',
  },
  'studySets.tree': {
    topicid: 'T',
    bridgeApiVersion: '0.91',
    nodeTotal: 1,
    nodes: [{ noteid: 'N', parent: null, title: 'x', depth: 0, childCount: 0, docPage: 1, docBookmd5: 'B' }],
    nextCursor: null,
    truncation: false,
    walkLimitReached: false,
    truncated: false,
    sort: 'document',
  },
}

/** Pointers to values whose shape the spec leaves open. */
const freeFormPointers = new Set(['/duplicates/0/anything', '/duplicates/0', '/receipt'])
/** Fields that an older host omits (observed-0.49), and the cause of a verdict without an error. */
const optionalNames = new Set(['bridgeApiVersion', 'reason', 'reasonLabel'])

/** Returns true if every member fits and no promised member is missing. */
const fitsSchema = (schema: z.ZodType, value: unknown): boolean => salvage(schema, value).problemCount === 0

const getResponseSchemaOf = (id: string): z.ZodType => {
  const { response } = getEndpointById(id)
  if (response.kind !== 'json') throw new Error(id)
  return response.schema
}

/**
 * Yields a pointer to every place inside a value, with a copy of the value changed at that
 * place.
 */
function* changeEachPlace(
  value: unknown,
  change: (part: unknown) => unknown,
  rebuild = (rebuilt: unknown) => rebuilt,
  path = '',
): Generator<[string, unknown]> {
  if (path !== '') yield [path, rebuild(change(value))]
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    const replaceMember = (next: unknown): unknown => {
      const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) }
      if (next === undefined) Reflect.deleteProperty(copy, key)
      else copy[key] = next
      return rebuild(Array.isArray(value) ? Object.values(copy) : copy)
    }
    yield* changeEachPlace(member, change, replaceMember, `${path}/${key}`)
  }
}

describe.each(Object.keys(documentedResponses))('%s as shown in spec §2', (id) => {
  const response = documentedResponses[id] ?? {}
  const schema = getResponseSchemaOf(id)

  it('is accepted, with unknown members kept at every depth', () => {
    const withMore: unknown = JSON.parse(JSON.stringify(response), addUnknown)
    expect(schema.parse(withMore)).toEqual(withMore)
  })

  it('has the exact types of the spec', () => {
    for (const [path, wrong] of changeEachPlace(response, (part) => (typeof part === 'boolean' ? 'yes' : true))) {
      if (!freeFormPointers.has(path)) expect(fitsSchema(schema, wrong), path).toBe(false)
    }
  })
})

describe.each(Object.keys(documentedResponses).filter((id) => id !== 'studySets.tree'))('%s', (id) => {
  it('has every field of the table in the spec', () => {
    for (const [path, incomplete] of changeEachPlace(documentedResponses[id], () => undefined)) {
      const name = path.split('/').at(-1) ?? ''
      if (freeFormPointers.has(path) || /\/\d+$/.test(path) || optionalNames.has(name)) continue
      expect(fitsSchema(getResponseSchemaOf(id), incomplete), path).toBe(false)
    }
  })
})

function addUnknown(_key: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? { ...value, 'x-unknown': { deep: [1, 'two', null] } } : value
}

it('every schema accepts unknown members', () => {
  for (const { id, body, response } of endpoints) {
    for (const schema of [body, response.kind === 'json' ? response.schema : null]) {
      const parsed = schema?.safeParse({ 'x-unknown': 1 })
      if (parsed?.success) expect(parsed.data, id).toEqual({ 'x-unknown': 1 })
      else expect(parsed?.error?.issues.some(({ code }) => code === 'unrecognized_keys') ?? false, id).toBe(false)
    }
  }
})

describe('response of an older or sparser host', () => {
  it.each([
    ['studySets.tree', { nodes: [{ noteid: 'A', parent: '' }, { noteid: 'B' }] }],
    ['studySets.subMaps', { subMaps: [] }],
    ['notes.batchGet', { items: [{ noteid: 'N', parts: [{ contentId: 'c' }] }] }],
    ['writing.pencilResult', { settled: false, outcome: 'pending' }],
    ['context.get', { available: false, reason: 'nothing_open' }],
    ['status.get', {}],
  ])('%s is accepted', (id, sparse) => {
    expect(getResponseSchemaOf(id).parse(sparse)).toEqual(sparse)
  })
})

test('reads sub-maps from an array (observed-0.49) or an object that holds it', () => {
  const subMaps = [{ noteid: 'N' }]
  expect(readResponse('studySets.subMaps', subMaps)).toMatchObject({ value: { subMaps }, problemCount: 0 })
  expect(readResponse('studySets.subMaps', { subMaps })).toMatchObject({ value: { subMaps }, problemCount: 0 })
})

test('a card has the members of observed-0.49 with their types', () => {
  const card = {
    noteid: 'N',
    title: 't',
    texts: [{ index: 0, text: 'x' }],
    parts: [{ contentId: 'c' }],
    metadata: { colorIndex: 1 },
  }
  expect(fitsSchema(noteItemSchema, card)).toBe(true)
  for (const [path, wrong] of changeEachPlace(card, () => true))
    expect(fitsSchema(noteItemSchema, wrong), path).toBe(false)
})

describe('errors (spec §7)', () => {
  it('every documented code has a meaning and an action', () => {
    const documentedCodes =
      'IN_PROCESS_NOT_ALLOWED PRACTICE_CONFIG_UNAVAILABLE PRACTICE_TOPIC_CHANGED PRACTICE_KEY_INVALID INVALID_JSON UNAUTHORIZED FORBIDDEN_ORIGIN MAX_REQUIRED APPROVAL_DENIED APPROVAL_TIMEOUT PAIRING_FAILED TOPIC_NOT_FOUND TITLE_MISMATCH COMMENT_CHANGED USER_EDITS_PRESENT STUDY_SET_IN_USE DOCUMENT_IN_USE SUBMIT_IN_FLIGHT IMAGE_SOURCE_CHANGED OCCLUSION_CHANGED CONFIRM_REQUIRED SCAN_BUSY EXPORT_BUSY PREPARE_BUSY SCAN_TIMEOUT PREPARE_CANCELLED TOC_GENERATION_IN_PROGRESS HASHTAG_ROUTE_REQUIRED DOCUMENT_FILE_MISSING NO_CHILDREN NOT_A_DECK IS_A_DECK DISCARD_FAILED VIRTUAL_DOCUMENT_NOT_DELETABLE'
    for (const code of documentedCodes.split(' ')) {
      const knownError = Object.hasOwn(knownErrors, code) ? knownErrors[code] : undefined
      expect(knownError?.meaning, code).toMatch(/\.$/)
      expect(knownError?.action, code).toMatch(/\.$/)
    }
  })

  it('a status is claimed only if it is documented', () => {
    const practice = Object.keys(knownErrors).filter((code) => code.startsWith('PRACTICE_'))
    expect(practice.map((code) => knownErrors[code]?.status)).toEqual([null, null, null])
    expect(knownErrors['CONFIRM_REQUIRED']?.status).toBe(422)
  })
})
