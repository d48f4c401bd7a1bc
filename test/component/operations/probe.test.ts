import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test } from 'vitest'
import ProbeCard from '../../../renderer/places/lab/ProbeCard.vue'
import type { LabRun } from '../../../shared/ipc/lab.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

const target = { topicid: null, noteid: null, surfaceId: null, commentId: null }
const done: LabRun = {
  probe: 'missing-confirm',
  result: 'as-expected',
  reason: null,
  plan: null,
  steps: [
    {
      code: 'withoutConfirm',
      method: 'POST',
      path: '/notes/N/title',
      body: '{}',
      expected: 'CONFIRM_REQUIRED',
      result: 'as-expected',
      actual: null,
      operationId: 'o1',
      reason: null,
    },
  ],
}

afterEach(() => {
  document.body.innerHTML = ''
})

test.each([
  ['on screen marks its records as seen', false, ['o1']],
  ['that comes after the lab was left marks none', true, []],
])('a probe result %s', async (_name, left, observed) => {
  let end: (run: LabRun) => void = () => undefined
  const { calls } = installFakeServiceProcess({
    'lab.run': () => new Promise<LabRun>((resolve) => (end = resolve)),
    'operations.seen': () => ({}),
  })
  const card = mountComponent(ProbeCard, { props: { probe: 'missing-confirm', target, isDemo: true } })
  getByRole('button', 'Run').click()
  await flushPromises()
  if (left) card.unmount()
  end(done)
  await flushPromises()
  expect(calls.filter(({ method }) => method === 'operations.seen').map(({ input }) => input)).toEqual(
    observed.map((id) => ({ id })),
  )
})
