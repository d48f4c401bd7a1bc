import { expect, test } from 'vitest'
import { parseAcknowledgements } from '../../../../../renderer/model/responses/acknowledgement.ts'
import { respond, PENCIL, PLAIN, pollResult, SESSION } from '../../../../support/services/operation-events.ts'
import { createOperation } from '../../../../support/vue/operations.ts'

const parseEvents = (endpoint: string, ...events: ReturnType<typeof respond>[]) =>
  parseAcknowledgements(createOperation({ endpoint }, { events }))
const facts = (acknowledgements: ReturnType<typeof parseEvents>, index = 0) =>
  Object.fromEntries(acknowledgements[index]?.facts.map(({ name, value }) => [name, value]) ?? [])

test('the response to a verdict yields the practice entry, whether tags changed, and the current tags', () => {
  const practice = {
    addon: 'p',
    topic: 'T',
    card: 'C',
    self: 'again',
    reason: 'careless',
    reasonLabel: 'Careless',
    at: 7,
  }
  const hashtags = ['#practice/question', '#practice/again']
  const acknowledgements = parseEvents(
    'notes.practiceVerdict',
    respond({ persisted: true, practice, tagsChanged: true, hashtags }),
  )
  expect(facts(acknowledgements)).toMatchObject({
    'practice.self': 'again',
    'practice.reasonLabel': 'Careless',
    'practice.at': '7',
    tagsChanged: 'true',
    hashtags: '#practice/question #practice/again',
  })
  expect(acknowledgements).toMatchObject([{ from: 'answer', unknownMembers: [], unexpectedSchemaVersion: null }])
})

test('a refusal is not called an acknowledgement', () => {
  const refusal = { error: { code: 'WINDOW_BUSY', message: 'm' }, windowId: 'w' }
  const event = { ...respond(refusal), status: 429 }
  expect(parseEvents(PENCIL, event as ReturnType<typeof respond>)).toMatchObject([{ from: 'refusal' }])
  expect(parseEvents(PENCIL, respond({ windowId: 'w' }))).toMatchObject([{ from: 'answer' }])
})

test('the response to a session command yields its facts and names unknown members', () => {
  const body = { schemaVersion: 2, attemptId: 'a', ready: false, canSwitch: false, settled: false, mood: 'calm' }
  const acknowledgements = parseEvents(SESSION, respond(body))
  expect(facts(acknowledgements)).toEqual({ attemptId: 'a', ready: 'false', canSwitch: 'false', settled: 'false' })
  expect(acknowledgements).toMatchObject([{ unknownMembers: ['mood'], unexpectedSchemaVersion: '2' }])
})

test('the response to a commit yields its facts and those of its later result, and a receipt only if it is not null', () => {
  const inputGate = { scope: 'application-ui-only', state: 'active', grantsCallerLease: false, level: 3 }
  const ack = {
    schemaVersion: 1,
    windowId: 'w',
    inputFrozen: true,
    durability: 'process-local',
    inputGate,
    receipt: null,
  }
  const acknowledgements = parseEvents(PENCIL, respond(ack, 202))
  expect(facts(acknowledgements)).toMatchObject({ windowId: 'w', inputFrozen: 'true', 'inputGate.state': 'active' })
  expect(facts(acknowledgements)).not.toHaveProperty('receipt')
  expect(acknowledgements).toMatchObject([{ unknownMembers: ['inputGate.level'], unexpectedSchemaVersion: null }])
  const later = parseEvents(
    PENCIL,
    respond(ack, 202),
    pollResult({ settled: true, receipt: { id: 'x' }, windowId: 'w' }),
  )
  // What the acknowledgement said of the canvas is not what holds after the end.
  expect(later.map(({ from }) => from)).toEqual(['answer', 'result'])
  expect(facts(later, 1)).toEqual({ settled: 'true', receipt: '{"id":"x"}', windowId: 'w' })
})

test('a missing, undocumented or failed response yields nothing', () => {
  expect(parseEvents(PLAIN, respond({ persisted: true, more: 1 }))).toEqual([])
  expect(parseEvents(PENCIL)).toEqual([])
  expect(parseEvents(PENCIL, respond('not an object'))).toEqual([])
  expect(parseEvents(PENCIL, respond({ error: { code: 'X', message: 'm' } }, 409))).toEqual([])
})
