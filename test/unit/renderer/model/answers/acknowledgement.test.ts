import { expect, test } from 'vitest'
import { parseAcknowledgements } from '../../../../../renderer/model/responses/acknowledgement.ts'
import { respond, PENCIL, PLAIN, pollResult, SESSION } from '../../../../support/services/operation-events.ts'
import { createOperation } from '../../../../support/vue/operations.ts'

const of = (endpoint: string, ...events: ReturnType<typeof respond>[]) =>
  parseAcknowledgements(createOperation({ endpoint }, { events }))
const facts = (found: ReturnType<typeof of>, at = 0) =>
  Object.fromEntries(found[at]?.facts.map(({ name, value }) => [name, value]) ?? [])

test('a verdict is read out: the practice, whether tags changed, and which there are now', () => {
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
  const found = of('notes.practiceVerdict', respond({ persisted: true, practice, tagsChanged: true, hashtags }))
  expect(facts(found)).toMatchObject({
    'practice.self': 'again',
    'practice.reasonLabel': 'Careless',
    'practice.at': '7',
    tagsChanged: 'true',
    hashtags: '#practice/question #practice/again',
  })
  expect(found).toMatchObject([{ from: 'answer', unknownMembers: [], unexpectedSchemaVersion: null }])
})

test('a session command is read out, and what is new in it is named', () => {
  const body = { schemaVersion: 2, attemptId: 'a', ready: false, canSwitch: false, settled: false, mood: 'calm' }
  const found = of(SESSION, respond(body))
  expect(facts(found)).toEqual({ attemptId: 'a', ready: 'false', canSwitch: 'false', settled: 'false' })
  expect(found).toMatchObject([{ unknownMembers: ['mood'], unexpectedSchemaVersion: '2' }])
})

test('a commit is read out with what its result says since; a receipt only where it is not null', () => {
  const inputGate = { scope: 'application-ui-only', state: 'active', grantsCallerLease: false, level: 3 }
  const ack = {
    schemaVersion: 1,
    windowId: 'w',
    inputFrozen: true,
    durability: 'process-local',
    inputGate,
    receipt: null,
  }
  const found = of(PENCIL, respond(ack, 202))
  expect(facts(found)).toMatchObject({ windowId: 'w', inputFrozen: 'true', 'inputGate.state': 'active' })
  expect(facts(found)).not.toHaveProperty('receipt')
  expect(found).toMatchObject([{ unknownMembers: ['inputGate.level'], unexpectedSchemaVersion: null }])
  const later = of(PENCIL, respond(ack, 202), pollResult({ settled: true, receipt: { id: 'x' }, windowId: 'w' }))
  // What the acknowledgement said of the canvas is not what holds after the end.
  expect(later.map(({ from }) => from)).toEqual(['answer', 'result'])
  expect(facts(later, 1)).toEqual({ settled: 'true', receipt: '{"id":"x"}', windowId: 'w' })
})

test('nothing is said of answers that the contract does not show, or that never came', () => {
  expect(of(PLAIN, respond({ persisted: true, more: 1 }))).toEqual([])
  expect(of(PENCIL)).toEqual([])
  expect(of(PENCIL, respond('not an object'))).toEqual([])
  expect(of(PENCIL, respond({ error: { code: 'X', message: 'm' } }, 409))).toEqual([])
})
