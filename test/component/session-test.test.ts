import { afterEach, expect, test, vi } from 'vitest'
import SessionTestDialog from '../../renderer/panes/exchange/SessionTestDialog.vue'
import { useExchangeMenu } from '../../renderer/panes/exchange/exchange-menu.ts'
import { useTraffic } from '../../renderer/stores/traffic.ts'
import { createCompleteBody, createExchangeDetail, createExchangeRow } from '../support/vue/exchanges.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'
import { createPanelState } from '../support/vue/panel-state.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

test('the selected calls become a test, as a spec for Playwright or for vitest', async () => {
  const body = '{"state":{"topicid":"S"}}'
  installFakeServiceProcess({
    'panel.get': () => createPanelState({ source: { kind: 'folder', path: '/home/me/panel' } }),
    'traffic.exchange': (input) => {
      const { seq = 0 } = input as { seq?: number }
      const caller = seq === 3 ? 'opening-0' : 'opening-1'
      const origin = { kind: 'panel', label: 'Practice', caller } as const
      const row = createExchangeRow({ seq, origin, path: seq === 1 ? '/ui-state' : '/immersive/template' })
      return createExchangeDetail({ row, response: createCompleteBody(body.length) })
    },
    'traffic.body': () => {
      const bytes = new TextEncoder().encode(body)
      return { meta: { start: 0, kept: bytes.byteLength }, bytes: bytes.buffer }
    },
  })
  const view = mountComponent({
    components: { SessionTestDialog },
    setup: () => ({ menu: useExchangeMenu(), traffic: useTraffic() }),
    template: '<SessionTestDialog v-if="traffic.testedSeqs" :seqs="traffic.testedSeqs" />',
  })
  const { menu } = view.vm as unknown as { menu: ReturnType<typeof useExchangeMenu> }
  const item = menu.listGroupItems([1, 2]).find(({ id }) => id === 'create-test')
  expect(item?.label).toBe('Create a test…')
  if (item && 'run' in item) item.run()
  await vi.waitFor(() => expect(getByRole('dialog', 'Create a test').textContent).toContain("'GET /ui-state',"))
  const dialog = getByRole('dialog', 'Create a test')
  expect(dialog.textContent).toContain("panel: '/home/me/panel'")
  expect(dialog.textContent).not.toContain('Authorization')
  getByRole('radio', 'vitest').click()
  await vi.waitFor(() => expect(dialog.textContent).toContain("import { hostApi } from 'bridge-inspector/testing'"))
  getByRole('button', 'Cancel').click()
  await vi.waitFor(() => expect(useTraffic().testedSeqs).toBeNull())

  // The third call is of another opening, whose source is not known.
  useTraffic().testedSeqs = [1, 3]
  await vi.waitFor(() => expect(getByRole('dialog', 'Create a test').textContent).toContain("panel: './panel'"))
})
