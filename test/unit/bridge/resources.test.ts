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

/** An answer as in the tables of spec §2, with every promised field of its type. */
const answers: Record<string, object> = {
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

/** Fields whose shape the spec leaves open: anything goes. */
const open = new Set(['/duplicates/0/anything', '/duplicates/0', '/receipt'])
/**
 * Fields an older host omits (observed-0.49), or that occur only in answers of the observed
 * endpoints.
 */
const mayBeAbsent = new Set(['bridgeApiVersion'])

/** Nothing is wrong, and nothing promised is missing. */
const keeps = (schema: z.ZodType, value: unknown): boolean => salvage(schema, value).problemCount === 0

const schemaOf = (id: string): z.ZodType => {
  const { response } = getEndpointById(id)
  if (response.kind !== 'json') throw new Error(id)
  return response.schema
}

/** Every place inside a value, with a copy of the whole in which `change` was applied there. */
function* variants(
  value: unknown,
  change: (at: unknown) => unknown,
  rebuild = (v: unknown) => v,
  path = '',
): Generator<[string, unknown]> {
  if (path !== '') yield [path, rebuild(change(value))]
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    const put = (next: unknown): unknown => {
      const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) }
      if (next === undefined) Reflect.deleteProperty(copy, key)
      else copy[key] = next
      return rebuild(Array.isArray(value) ? Object.values(copy) : copy)
    }
    yield* variants(member, change, put, `${path}/${key}`)
  }
}

describe.each(Object.keys(answers))('%s as spec §2 shows it', (id) => {
  const answer = answers[id] ?? {}
  const schema = schemaOf(id)

  it('is understood, and unknown members are kept at every depth', () => {
    const withMore: unknown = JSON.parse(JSON.stringify(answer), addUnknown)
    expect(schema.parse(withMore)).toEqual(withMore)
  })

  it('has exact types', () => {
    for (const [path, wrong] of variants(answer, (at) => (typeof at === 'boolean' ? 'yes' : true))) {
      if (!open.has(path)) expect(keeps(schema, wrong), path).toBe(false)
    }
  })
})

describe.each(Object.keys(answers).filter((id) => id !== 'studySets.tree'))('%s promises', (id) => {
  it('every field of its table', () => {
    for (const [path, less] of variants(answers[id], () => undefined)) {
      const name = path.split('/').at(-1) ?? ''
      if (open.has(path) || /\/\d+$/.test(path) || mayBeAbsent.has(name)) continue
      expect(keeps(schemaOf(id), less), path).toBe(false)
    }
  })
})

function addUnknown(_key: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? { ...value, 'x-unknown': { deep: [1, 'two', null] } } : value
}

it('every JSON answer and every body keeps unknown members, or reports that a known one is missing', () => {
  for (const { id, body, response } of endpoints) {
    for (const schema of [body, response.kind === 'json' ? response.schema : null]) {
      const parsed = schema?.safeParse({ 'x-unknown': 1 })
      if (parsed?.success) expect(parsed.data, id).toEqual({ 'x-unknown': 1 })
      else expect(parsed?.error?.issues.some(({ code }) => code === 'unrecognized_keys') ?? false, id).toBe(false)
    }
  }
})

describe('an older or sparer host', () => {
  it.each([
    ['studySets.tree', { nodes: [{ noteid: 'A', parent: '' }, { noteid: 'B' }] }],
    ['studySets.subMaps', { subMaps: [] }],
    ['notes.batchGet', { items: [{ noteid: 'N', parts: [{ contentId: 'c' }] }] }],
    ['writing.pencilResult', { settled: false, outcome: 'pending' }],
    ['context.get', { available: false, reason: 'nothing_open' }],
    ['status.get', {}],
  ])('%s is understood', (id, sparse) => {
    expect(schemaOf(id).parse(sparse)).toEqual(sparse)
  })
})

test('sub-maps are an array (observed-0.49), or an object that holds them', () => {
  const subMaps = [{ noteid: 'N' }]
  expect(readResponse('studySets.subMaps', subMaps)).toMatchObject({ value: { subMaps }, problemCount: 0 })
  expect(readResponse('studySets.subMaps', { subMaps })).toMatchObject({ value: { subMaps }, problemCount: 0 })
})

test('a card has the members of observed-0.49, with their types', () => {
  const card = {
    noteid: 'N',
    title: 't',
    texts: [{ index: 0, text: 'x' }],
    parts: [{ contentId: 'c' }],
    metadata: { colorIndex: 1 },
  }
  expect(keeps(noteItemSchema, card)).toBe(true)
  for (const [path, wrong] of variants(card, () => true)) expect(keeps(noteItemSchema, wrong), path).toBe(false)
})

describe('errors (spec §7)', () => {
  it('every documented code is known, with what to do', () => {
    const named =
      'IN_PROCESS_NOT_ALLOWED PRACTICE_CONFIG_UNAVAILABLE PRACTICE_TOPIC_CHANGED PRACTICE_KEY_INVALID INVALID_JSON UNAUTHORIZED FORBIDDEN_ORIGIN MAX_REQUIRED APPROVAL_DENIED APPROVAL_TIMEOUT PAIRING_FAILED TOPIC_NOT_FOUND TITLE_MISMATCH COMMENT_CHANGED USER_EDITS_PRESENT STUDY_SET_IN_USE DOCUMENT_IN_USE SUBMIT_IN_FLIGHT IMAGE_SOURCE_CHANGED OCCLUSION_CHANGED CONFIRM_REQUIRED SCAN_BUSY EXPORT_BUSY PREPARE_BUSY SCAN_TIMEOUT PREPARE_CANCELLED TOC_GENERATION_IN_PROGRESS HASHTAG_ROUTE_REQUIRED DOCUMENT_FILE_MISSING NO_CHILDREN NOT_A_DECK IS_A_DECK DISCARD_FAILED VIRTUAL_DOCUMENT_NOT_DELETABLE'
    for (const code of named.split(' ')) {
      const known = Object.hasOwn(knownErrors, code) ? knownErrors[code] : undefined
      expect(known?.meaning, code).toMatch(/\.$/)
      expect(known?.action, code).toMatch(/\.$/)
    }
  })

  it('a status is claimed only if documented', () => {
    const practice = Object.keys(knownErrors).filter((code) => code.startsWith('PRACTICE_'))
    expect(practice.map((code) => knownErrors[code]?.status)).toEqual([null, null, null])
    expect(knownErrors['CONFIRM_REQUIRED']?.status).toBe(422)
  })
})
