import { afterEach, expect, test, vi } from 'vitest'
import { h } from 'vue'
import PaperSheets from '../../../renderer/places/print/PaperSheets.vue'
import SheetCard from '../../../renderer/places/print/SheetCard.vue'
import { toPlannedPages } from '../../../renderer/places/print/print-plan.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { readHostLimits } from '../../../shared/bridge/host-limits.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

function installCards(): void {
  installFakeServiceProcess({
    'bridge.limits': () => readHostLimits(null),
    'bridge.read': (input) => {
      const { body } = input as { body: { noteIds: readonly string[] } }
      const items = body.noteIds
        .filter((noteid) => noteid !== 'gone')
        .map((noteid) => ({ noteid, title: `Card ${noteid}` }))
      return createReadReply('notes.batchGet', JSON.stringify({ items }))
    },
  })
}

test('a card on a sheet is named by its title, and a missing one is marked', async () => {
  installCards()
  mountComponent({ render: () => ['a', 'gone'].map((noteid) => h(SheetCard, { noteid })) })
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(document.querySelector('.title')?.textContent).toBe('Card a'))
  expect(document.querySelectorAll('.missing')).toHaveLength(1)
})

test('a sheet names no more cards than fit between its margins, and counts the rest', async () => {
  installCards()
  const heights = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
  const visibleNoteIds = Array.from({ length: 30 }, (_, index) => String(index))
  const pages = toPlannedPages({ pages: [{ kind: 'branchOverview', visibleNoteIds }] })
  mountComponent(PaperSheets, { props: { pages, landscape: true, label: 'Pages', selected: 0 } })
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(document.querySelectorAll('.title').length).toBeGreaterThan(0))
  const count = document.querySelectorAll('.title').length
  expect(document.querySelector('.title')?.textContent).toBe('Card 0')
  expect(document.querySelector('.more')?.textContent).toBe(`+${30 - count}`)
  const paper = document.querySelector<HTMLElement>('.paper')
  expect((count + 1) * 13 + 20).toBeLessThanOrEqual(Number.parseFloat(paper?.style.height ?? '0'))
  heights.mockRestore()
})
