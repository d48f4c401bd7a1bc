import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  NCollapse,
  NCollapseItem,
  NDataTable,
  NDescriptions,
  NDescriptionsItem,
  NDropdown,
  NMessageProvider,
  NNotificationProvider,
  NPagination,
  NSelect,
  NSlider,
  NSplit,
  NTabPane,
  NTabs,
  NTimeline,
  NTimelineItem,
  NTree,
  darkTheme as wholeDarkTheme,
  useMessage,
  useNotification,
} from 'naive-ui'
import { h, nextTick, type VNode } from 'vue'
import { afterEach, expect, test } from 'vitest'
import { darkTheme } from '../../renderer/components/widgets/theme-overrides.ts'
import { mountComponent } from '../support/vue/mounting.ts'

// docs/widgets.md names the widgets of naive-ui that are not used, and why. If a test fails after
// an upgrade, the reason is gone, and the widget should be tried.

test('the document about widgets gives a reason for every native control', () => {
  const text = readFileSync('docs/widgets.md', 'utf8')
  const undocumented = globSync('renderer/**/*.vue').filter((file) => {
    const name = path.basename(file, '.vue')
    const hasControl = /<(?:input|select|textarea|button|audio|video|progress|meter|dialog)\b/.test(
      readFileSync(file, 'utf8'),
    )
    return hasControl && !new RegExp(`\\b${name}\\b`).test(text) && !isOwnSlider(file)
  })
  expect(undocumented).toEqual([])
})

test('each widget in use has its own part of the dark theme', () => {
  const imports = globSync('renderer/components/**/*.vue')
    .map((file) => /import \{([^}]*)\} from 'naive-ui'/.exec(readFileSync(file, 'utf8'))?.[1] ?? '')
    .flatMap((names) => names.match(/\bN[A-Z]\w+/g) ?? [])
  const parts = new Set(imports.map((name) => name.slice(1).replace(/(?<=Radio)(?:Button|Group)$|(?<=Form)Item$/, '')))
  // It only passes the theme on.
  parts.delete('ConfigProvider')
  expect(parts).toContain('Button')
  const wholeParts: Readonly<Record<string, unknown>> = wholeDarkTheme
  expect(darkTheme).toEqual({
    name: wholeDarkTheme.name,
    common: wholeDarkTheme.common,
    ...Object.fromEntries([...parts].map((part) => [part, wholeParts[part] ?? `no part ${part}`])),
  })
})

/** The sliders of an image and of a path of calls stand in the document by what they do. */
const isOwnSlider = (file: string): boolean => /(?:ImageStage|MapPath)\.vue$/.test(file)

afterEach(() => {
  document.body.innerHTML = ''
})

const options = ['One', 'Two'].map((label) => ({ label, value: label, key: label }))
const FailureMessage = {
  setup() {
    useMessage().error('Failed')
    return () => null
  },
}
const FailureNotification = {
  setup() {
    useNotification().error({ title: 'Failed' })
    return () => null
  },
}

/** Counts roles that mean something, and stops of the tab key. */
function countHandles(): { roles: number; stops: number } {
  const roles = [...document.body.querySelectorAll('[role]')].filter(
    (element) => !['none', 'img'].includes(element.getAttribute('role') ?? ''),
  )
  const stops = document.body.querySelectorAll('[tabindex="0"], button, input, a[href]')
  return { roles: roles.length, stops: stops.length }
}

test.each<[string, { roles: number; stops: number }, () => VNode]>([
  [
    'NCollapse',
    { roles: 0, stops: 0 },
    () => h(NCollapse, () => h(NCollapseItem, { title: 'Details', name: 'details' }, () => 'Text')),
  ],
  ['NSelect', { roles: 0, stops: 2 }, () => h(NSelect, { options, value: 'One', show: true, to: false })],
  [
    'NTabs',
    { roles: 0, stops: 0 },
    () => h(NTabs, null, { default: () => options.map(({ key }) => h(NTabPane, { name: key, tab: key }, () => key)) }),
  ],
  [
    'NDropdown',
    { roles: 0, stops: 0 },
    () => h(NDropdown, { options, show: true, trigger: 'manual', to: false }, () => h('span', 'Open')),
  ],
  ['NPagination', { roles: 0, stops: 1 }, () => h(NPagination, { simple: true, page: 1, pageCount: 3 })],
  ['NSplit', { roles: 0, stops: 0 }, () => h(NSplit, {}, { 1: () => 'Left', 2: () => 'Right' })],
  ['NTimeline', { roles: 0, stops: 0 }, () => h(NTimeline, () => h(NTimelineItem, { title: 'Sent' }))],
  [
    'NDescriptions',
    { roles: 0, stops: 0 },
    () => h(NDescriptions, () => h(NDescriptionsItem, { label: 'Title' }, () => 'Spine')),
  ],
  ['NMessage', { roles: 0, stops: 0 }, () => h(NMessageProvider, () => h(FailureMessage))],
  ['NNotification', { roles: 0, stops: 1 }, () => h(NNotificationProvider, () => h(FailureNotification))],
  [
    'NTree',
    { roles: 0, stops: 1 },
    () => h(NTree, { data: [{ key: 1, label: 'Root', children: [{ key: 2, label: 'Leaf' }] }] }),
  ],
  [
    'NDataTable with a sorted column',
    { roles: 0, stops: 0 },
    () => h(NDataTable, { columns: [{ key: 'title', title: 'Title', sorter: 'default' }], data: [{ title: 'Spine' }] }),
  ],
])('%s still lacks roles or keys', async (_name, handles, render) => {
  mountComponent({ setup: () => render })
  await nextTick()
  expect(countHandles()).toEqual(handles)
})

test('the handles of NSlider still have no names', () => {
  mountComponent({ setup: () => () => h(NSlider, { range: true, value: [1, 5] }) })
  const names = [...document.querySelectorAll('[role=slider]')].map((handle) => handle.getAttribute('aria-label'))
  expect(names).toEqual([null, null])
})
