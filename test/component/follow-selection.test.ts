import { createPinia, setActivePinia } from 'pinia'
import { afterEach, expect, test, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import { useHostSelectionSync } from '../../renderer/shell/host-selection-sync.ts'
import { useConnection } from '../../renderer/stores/connection.ts'
import { useFollowMode } from '../../renderer/stores/follow-mode.ts'
import { useUi } from '../../renderer/stores/ui.ts'
import { createReadReply } from '../support/vue/read-reply.ts'
import { installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'
import { createConnectionState, profile } from '../support/vue/states.ts'

afterEach(() => {
  useFollowMode().isEnabled = false
  setActivePinia(createPinia())
  document.body.innerHTML = ''
})

/** The shell on the tree of study set T, while the host has this card selected there. */
function following(first: string) {
  let selected = first
  installFakeServiceProcess({
    'bridge.read': () =>
      createReadReply(
        'context.get',
        JSON.stringify({
          available: true,
          studySet: { topicid: 'T' },
          selectedNotes: [{ noteid: selected, title: `Card ${selected}` }],
        }),
      ),
  })
  const Shell = defineComponent({
    setup() {
      useHostSelectionSync()
      return () => h('div')
    },
  })
  const router = mountComponent(Shell).vm.$router
  router.addRoute({ path: '/study-sets/:topicid/tree', name: 'tree', component: Shell })
  useConnection().state = createConnectionState()
  useFollowMode().isEnabled = true
  return { router, select: (noteid: string) => (selected = noteid) }
}

test('a followed card leaves the inspector once the tree shows the selection of the host', async () => {
  const { router, select } = following('A')
  await vi.waitFor(() => expect(useUi().inspector?.title).toBe('Card A'))
  await router.push('/study-sets/T/tree')
  expect(useUi().inspector?.title).toBe('Card A')
  select('B')
  await vi.waitFor(() => expect(router.currentRoute.value.query['note']).toBe('B'), 5_000)
  expect(useUi().inspector).toBeNull()
})

test('the selection of one host is not shown for another', async () => {
  following('A')
  await vi.waitFor(() => expect(useUi().inspector?.title).toBe('Card A'))
  useConnection().state = createConnectionState({ phase: 'connecting', profile: { ...profile, id: 'p2' }, epoch: 2 })
  await vi.waitFor(() => expect(useUi().inspector).toBeNull())
  expect(useFollowMode().context).toBeNull()
  // The same card there is a selection of its own.
  useConnection().state = createConnectionState({ profile: { ...profile, id: 'p2' }, epoch: 2 })
  await vi.waitFor(() => expect(useUi().inspector?.title).toBe('Card A'), 5_000)
})
