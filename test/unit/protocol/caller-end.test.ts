import { expect, test } from 'vitest'
import type { FindingRuleId } from '../../../shared/protocol/finding.ts'
import { PANEL_ORIGIN, RuleRecording } from '../../support/services/rule-recording.ts'
import { settle } from './pencil-rules.ts'

/** What a caller still owes when it ends, and the rule that it then broke. */
const owed: Readonly<Record<string, readonly [rule: FindingRuleId, play: (r: RuleRecording) => unknown]>> = {
  'a commit that was never polled': ['commit-not-polled', (r) => r.sendCommit('A')],
  'a commit that was polled once, long ago': [
    'commit-not-polled',
    (r) => [r.sendCommit('A'), r.wait(400).poll('A', false), r.wait(9_000)],
  ],
  'a session command': [
    'session-not-confirmed',
    (r) => r.post('/writing/session-reserve', { requestId: 'A', runId: 'R' }, { response: { settled: false } }),
  ],
  'the rest of a listing after a write': [
    'incomplete-listing-then-write',
    (r) => [r.readPage(null, 'c1'), r.sendVerdict('N-1', '5')],
  ],
}

test.each(Object.entries(owed))('safety 82: %s is decided when the caller ends', (_, [rule, play]) => {
  for (const isByItself of [true, false]) {
    const recording = new RuleRecording(PANEL_ORIGIN)
    play(recording)
    expect(recording.rules.areCallersOwing({})).toBe(true)
    const afterMs = 10
    expect(recording.end({ isByItself, graceMs: afterMs }).brokenRules).toEqual([rule])
    expect(recording.findings[0]?.late?.because).toBe('ended')
    // It is decided once.
    expect(recording.rules.areCallersOwing({})).toBe(false)
    expect(recording.waitAndTick().brokenRules).toEqual([rule])
  }
})

test('safety 82: a panel that is closed while it polls is not held to the rest; a program that ends by itself is', () => {
  const createPolling = (pauseMs: number): RuleRecording => {
    const recording = new RuleRecording(PANEL_ORIGIN)
    recording.sendCommit('A')
    recording.wait(pauseMs).poll('A', false)
    recording.wait(pauseMs).poll('A', false)
    return recording
  }
  expect(createPolling(500).end({ graceMs: 400 }).brokenRules).toEqual([])
  expect(createPolling(3_000).end({ graceMs: 3_000 }).brokenRules).toEqual([])
  expect(createPolling(500).end({ isByItself: true }).brokenRules).toEqual(['commit-not-polled'])
})

test('safety 82: an end decides nothing about callers that did what they owed, and nothing as advice', () => {
  const recording = new RuleRecording(PANEL_ORIGIN)
  recording.sendCommit('A')
  settle(recording, 'A')
  recording.readPage(null, 'c1')
  expect(recording.end({ isByItself: true }).brokenRules).toEqual([])
})

test('an end of other callers decides nothing, and a caller that comes back may still do what it owed', () => {
  const recording = new RuleRecording(PANEL_ORIGIN)
  recording.sendCommit('A')
  recording.rules.endCallers({ kind: 'recorded' }, { at: recording.timestamp, isByItself: true })
  expect(recording.brokenRules).toEqual([])
  expect(recording.end().brokenRules).toEqual(['commit-not-polled'])
  recording.wait(1_000).poll('A', true)
  expect(recording.brokenRules).toEqual([])
  expect(recording.withdrawals).toEqual([recording.timestamp])
})
