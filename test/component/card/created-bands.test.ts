import { afterEach, expect, test, vi } from 'vitest'
import CardPlace from '../../../renderer/places/card/CardPlace.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { respond } from '../../support/services/operation-events.ts'
import { createOperation, createSummary } from '../../support/vue/operations.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

test('a card whose list of bands is empty shows those of the response that created one', async () => {
  const change = { endpoint: 'notes.blankBands', noteid: 'N', state: 'persisted' } as const
  const body = { noteid: 'N', band: { seq: 2 }, bands: [{ seq: 0 }, { seq: 1 }, { seq: 2 }] }
  installFakeServiceProcess({
    'operations.list': () => ({
      items: [createSummary('o-1', change)],
      total: 1,
      topicids: [],
      all: 1,
      unfinished: 0,
      unseen: 0,
    }),
    'operations.get': () => createOperation(change, { events: [{ ...respond(body), at: 20 }] }),
    'bridge.read': (input) => {
      const { endpoint } = input as { endpoint: string }
      const card = { noteid: 'N', title: 'Heart', parts: [], bands: [] }
      return createReadReply(endpoint, JSON.stringify(endpoint === 'notes.batchGet' ? { items: [card] } : {}))
    },
  })
  const { vm } = mountComponent(CardPlace, { route: '/notes/:noteid' })
  await vm.$router.push('/notes/N?tab=bands')
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(getByRole('note').textContent).toContain('These are from its answer'))
  expect(document.body.textContent).not.toMatch(/no bands\b(?! with the card)|there are none/i)
  expect(document.querySelectorAll('tbody tr')).toHaveLength(3)
})
