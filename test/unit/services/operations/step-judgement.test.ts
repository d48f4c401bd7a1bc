import { expect, test } from 'vitest'
import { judgeLabStep } from '../../../../electron/services/operations/lab/step-judgement.ts'

const target = { topicid: 'T', noteid: 'N', layerId: '' }
const original = { requestId: 'R', state: 'pending', target, receipt: null }

test.each([
  ['the same response', original, 'as-expected', null],
  ['with a time', { ...original, now: 7, target: { ...target, at: 7 } }, 'as-expected', null],
  ['of another request', { ...original, requestId: 'S' }, 'differs', null],
  ['for another card', { ...original, target: { ...target, noteid: 'M' } }, 'differs', null],
  ['with the state of today', { ...original, state: 'settled' }, 'says-nothing', 'left-open'],
  ['that names nothing', { ok: true }, 'says-nothing', 'left-open'],
] as const)('the same request id again, with a response that is %s', (_, body, result, reason) => {
  const response = { status: 202, code: null, body }
  expect(judgeLabStep('replay', response, [{ ...response, body: original }])).toEqual({ result, reason })
})
