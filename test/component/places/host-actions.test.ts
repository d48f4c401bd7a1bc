import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import BundleActions from '../../../renderer/places/bundles/BundleActions.vue'
import { parseBundle } from '../../../renderer/places/bundles/bundle.ts'
import CardLinks from '../../../renderer/places/card/CardLinks.vue'
import SyncActions from '../../../renderer/places/host/SyncActions.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useHostCapabilities } from '../../../renderer/stores/host-capabilities.ts'
import { useOperations } from '../../../renderer/stores/operations.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const names = (): string[] => findAllByRole('button').map(({ textContent }) => textContent.trim())

/** The page on a host that lists every route but these. */
function without(...ids: readonly string[]): void {
  const routes = endpoints.filter(({ id }) => !ids.includes(id)).map(({ method, path }) => ({ method, path }))
  installFakeServiceProcess({ 'bridge.read': () => createReadReply('capabilities.get', JSON.stringify({ routes })) })
}

test.each([
  ['prepared', ['Submit…', 'Discard…']],
  ['imported', ['Submit…', 'Show in the host…', 'Discard…']],
  ['preparing', ['Cancel the preparation…']],
  ['failed', ['Discard…']],
  ['cancelled', ['Discard…']],
  ['', ['Submit…', 'Show in the host…', 'Discard…']],
])('a bundle in the state %j offers the matching actions, and warns that they run at once', (state, offered) => {
  installFakeServiceProcess({})
  const page = mountComponent(BundleActions, { props: { bundle: parseBundle({ bundleId: 'b-1', state }, 0) } })
  expect(names()).toEqual(offered)
  expect(page.text()).toContain('each runs as soon as it is sent')
  findAllByRole('button')[0]?.click()
  const { composedWrite: composing } = useOperations()
  expect(composing?.endpoint).toBe(offered[0] === 'Submit…' ? 'bundles.submit' : 'bundles.discard')
  expect(composing?.values).toEqual({ bundleId: 'b-1' })
})

test('sync actions open the write sheet, and the events are read again when the sheet closes', async () => {
  installFakeServiceProcess({})
  const page = mountComponent(SyncActions)
  expect(names()).toHaveLength(2)
  for (const [index, id] of (['sync.recheck', 'sync.inventory'] as const).entries()) {
    findAllByRole('button')[index]?.click()
    await nextTick()
    expect(useOperations().composedWrite?.endpoint).toBe(id)
    expect(page.emitted('done') ?? []).toHaveLength(index)
    useOperations().composedWrite = null
    await nextTick()
    expect(page.emitted('done')).toHaveLength(index + 1)
  }
})

test('an action that the host does not list is not offered', async () => {
  without('sync.inventory', 'bundles.submit')
  mountComponent(SyncActions)
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(useHostCapabilities().comparison).not.toBeNull())
  await flushPromises()
  expect(names()).toHaveLength(1)
  getByRole('button').click()
  expect(useOperations().composedWrite?.endpoint).toBe('sync.recheck')
})

test('a card is searched in decks unless the host lists no decks', async () => {
  without('sync.inventory')
  const page = mountComponent(CardLinks, { props: { noteid: 'N', topicid: null, facts: null } })
  expect(names()).toContain('Find in decks')
  page.unmount()
  without('decks.list')
  mountComponent(CardLinks, { props: { noteid: 'N', topicid: null, facts: null } })
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(useHostCapabilities().comparison).not.toBeNull())
  await flushPromises()
  expect(names()).not.toContain('Find in decks')
})
