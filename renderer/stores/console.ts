import { useDebounceFn } from '@vueuse/core'
import { defineStore } from './define-store.ts'
import { computed, shallowReactive, shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { ConsoleTab } from '../../shared/ipc/console.ts'
import type { FilledRequest } from '../../shared/collections/request-sequence.ts'
import { call } from '../ipc/call.ts'
import { toAppError, isCancellation } from './errors.ts'
import { useTraffic } from './traffic.ts'

const MAX_TABS = 30
const SAVE_AFTER_MS = 500

/** The request to open in a tab, and the number of its exchange if it was sent before. */
export type ConsoleTabRequest = Pick<ConsoleTab, 'method' | 'path' | 'body'> &
  Partial<Pick<ConsoleTab, 'saved' | 'seq'>>

/** The open requests, stored by the service process, and the progress of sending them. */
export const useConsole = defineStore('console', () => {
  const traffic = useTraffic()
  const tabs = shallowRef<readonly ConsoleTab[]>([])
  const current = shallowRef<string | null>(null)
  /** Why the tabs could not be stored; null if they were stored. */
  const saveError = shallowRef<AppError | null>(null)
  const sending = shallowReactive(new Map<string, AbortController>())
  const failures = shallowReactive(new Map<string, AppError>())
  const tab = computed(() => tabs.value.find(({ id }) => id === current.value) ?? null)
  let loading: Promise<void> | null = null
  let lastId = 0

  const saveTabs = useDebounceFn(async () => {
    try {
      await call('console.saveTabs', { tabs: tabs.value.map((openTab) => ({ ...openTab })), current: current.value })
      saveError.value = null
    } catch (thrown) {
      saveError.value = toAppError(thrown)
    }
  }, SAVE_AFTER_MS)

  /** Loads the stored tabs once. There is always at least one tab. */
  function load(): Promise<void> {
    loading ??= readTabs()
    return loading
  }
  async function readTabs(): Promise<void> {
    try {
      const stored = await call('console.tabs', {})
      tabs.value = stored.tabs
      current.value = stored.tabs.some(({ id }) => id === stored.current)
        ? stored.current
        : (stored.tabs[0]?.id ?? null)
    } catch (thrown) {
      saveError.value = toAppError(thrown)
    }
    if (tabs.value.length === 0) open({ method: 'GET', path: '/', body: null })
  }

  function show(id: string): void {
    current.value = id
    void saveTabs()
  }

  /** Selects the tab with the same request, or opens one. At the limit, the oldest closes. */
  function open({ method, path, body, saved = null, seq = null }: ConsoleTabRequest): void {
    const sameTab = tabs.value.find(
      (candidate) => candidate.method === method && candidate.path === path && candidate.body === body,
    )
    if (sameTab) {
      updateTab(sameTab.id, { ...(saved ? { saved } : {}), ...(seq === null ? {} : { seq }) })
      return show(sameTab.id)
    }
    lastId += 1
    const newTab: ConsoleTab = { id: `${Date.now().toString(36)}-${lastId}`, method, path, body, saved, seq }
    const used = tabs.value.filter(
      (openTab) => !(openTab.path === '/' && openTab.body === null && openTab.seq === null),
    )
    tabs.value = [...used, newTab].slice(-MAX_TABS)
    show(newTab.id)
  }
  const openEmpty = (): void => open({ method: 'GET', path: '/', body: null })

  function close(id: string): void {
    cancel(id)
    failures.delete(id)
    const index = tabs.value.findIndex((openTab) => openTab.id === id)
    tabs.value = tabs.value.filter((openTab) => openTab.id !== id)
    if (current.value === id) current.value = (tabs.value[index] ?? tabs.value[index - 1])?.id ?? null
    if (tabs.value.length === 0) openEmpty()
    void saveTabs()
  }

  function updateTab(id: string, part: Partial<Omit<ConsoleTab, 'id'>>): void {
    tabs.value = tabs.value.map((openTab) => (openTab.id === id ? { ...openTab, ...part } : openTab))
    void saveTabs()
  }

  /** Sends a read. The tab then shows the recorded exchange. */
  async function send(id: string, request: FilledRequest): Promise<void> {
    cancel(id)
    const controller = new AbortController()
    sending.set(id, controller)
    failures.delete(id)
    try {
      const seq = await traffic.send({ ...request }, controller.signal)
      if (sending.get(id) === controller) updateTab(id, { seq })
    } catch (thrown) {
      if (sending.get(id) === controller && !isCancellation(thrown)) failures.set(id, toAppError(thrown))
    } finally {
      if (sending.get(id) === controller) sending.delete(id)
    }
  }

  function cancel(id: string): void {
    sending.get(id)?.abort()
    sending.delete(id)
  }

  return {
    tabs,
    current,
    tab,
    saveError,
    sending,
    failures,
    load,
    show,
    open,
    openEmpty,
    close,
    updateTab,
    send,
    cancel,
  }
})
