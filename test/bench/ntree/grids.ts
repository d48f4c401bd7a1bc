/* eslint vue/one-component-per-file: "off" -- two pages in one, one of them is mounted */
import { NDataTable, type DataTableColumns } from 'naive-ui'
import { createApp, defineComponent, h, ref, shallowRef } from 'vue'
import DataGrid from '../../../renderer/components/grid/DataGrid.vue'
import type { SortState } from '../../../renderer/components/grid/columns.ts'
import {
  filterExcerptRows,
  toExcerptRows,
  buildSearchText,
  type ExcerptRow,
} from '../../../renderer/model/excerpts/excerpt-rows.ts'
import type { Excerpt } from '../../../shared/bridge/resources/documents.ts'
import { createTestTranslator } from '../../support/vue/translator.ts'

const names = ['text', 'page', 'startpos', 'endpos', 'topicid', 'cardNoteId', 'noteid'] as const
const widths = { text: 400, page: 80, startpos: 80, endpos: 80, topicid: 120, cardNoteId: 160, noteid: 160 }

const sort = ref<SortState | null>(null)
const visible = shallowRef<readonly ExcerptRow[]>([])
let all: readonly ExcerptRow[] = []
let lower: readonly string[] = []

const ours = {
  mount(items: readonly Excerpt[]): void {
    all = toExcerptRows(items)
    lower = all.map(buildSearchText)
    visible.value = all
    const columns = names.map((id) => ({ id, header: id, width: widths[id], value: (row: ExcerptRow) => row[id] }))
    const page = defineComponent(
      () => () =>
        h('div', { style: 'height: 100vh' }, [
          h(DataGrid as never, {
            label: 'Grid',
            rows: visible.value,
            columns,
            sort: sort.value,
            rowKey: (row: ExcerptRow) => row.index,
          }),
        ]),
    )
    createApp(page).use(createTestTranslator('en')).mount('#app')
  },
  firstText: () => document.querySelector('[role="row"].row [role="gridcell"]')?.textContent.trim() ?? '',
  busy: () => document.querySelector('[role="grid"]')?.getAttribute('aria-busy') === 'true',
  sortByText: () => (sort.value = [{ column: 'text', direction: 'ascending' }]),
  filter: (text: string) => (visible.value = filterExcerptRows(all, lower, text)),
  scroller: () => document.querySelector('[role="grid"]'),
}

const data = shallowRef<readonly Excerpt[]>([])
let items: readonly Excerpt[] = []
const order = ref<'ascend' | false>(false)
const naive = {
  mount(rows: readonly Excerpt[]): void {
    items = rows
    data.value = rows
    const page = defineComponent(() => () => {
      const columns: DataTableColumns<Excerpt> = names.map((key) => ({
        key,
        title: key,
        width: widths[key],
        ...(key === 'text'
          ? { sorter: (a: Excerpt, b: Excerpt) => (a.text ?? '').localeCompare(b.text ?? ''), sortOrder: order.value }
          : {}),
      }))
      return h(NDataTable, {
        columns,
        data: data.value as Excerpt[],
        virtualScroll: true,
        maxHeight: 800,
        rowKey: (row: Excerpt) => row.noteid ?? '',
      })
    })
    createApp(page).mount('#app')
  },
  firstText: () => document.querySelector('.n-data-table-tbody .n-data-table-td')?.textContent.trim() ?? '',
  busy: () => false,
  sortByText: () => (order.value = 'ascend'),
  filter(text: string) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    data.value = items.filter((row) => words.every((word) => (row.text ?? '').toLowerCase().includes(word)))
  },
  scroller: () => document.querySelector('.n-data-table .v-vl'),
}

Object.assign(window, { mountGrid: { ours, naive } })
