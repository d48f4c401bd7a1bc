import { useDebounceFn } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, shallowReactive, shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { ConsoleTab } from '../../shared/ipc/console.ts'
import type { FilledRequest } from '../model/console/request-sequence.ts'
import { call } from '../ipc/call.ts'
import { toAppError, isCancellation } from './errors.ts'
import { useTraffic } from './traffic.ts'

/** Tabs that can be open at once. */
const MAX_TABS = 30
const SAVE_AFTER_MS = 500

/** What a tab is opened with. */
export type ConsoleTabRequest = Pick<ConsoleTab, 'method' | 'path' | 'body'> &
  Partial<Pick<ConsoleTab, 'saved' | 'seq'>>

/** The console's open requests, remembered by the service process, and what they are sending. */
export const useConsole = defineStore('console', () => {
  const traffic = useTraffic()
  const tabs = shallowRef<readonly ConsoleTab[]>([])
  const current = shallowRef<string | null>(null)
  /** Why the tabs are not remembered; null if they are. */
  const saveError = shallowRef<AppError | null>(null)
  const sending = shallowReactive(new Map<string, AbortController>())
  const failures = shallowReactive(new Map<string, AppError>())
  const tab = computed(() => tabs.value.find(({ id }) => id === current.value) ?? null)
  let loading: Promise<void> | null = null
  let lastId = 0

  const keep = useDebounceFn(async () => {
    try {
      await call('console.saveTabs', { tabs: tabs.value.map((one) => ({ ...one })), current: current.value })
      saveError.value = null
    } catch (thrown) {
      saveError.value = toAppError(thrown)
    }
  }, SAVE_AFTER_MS)

  /** Reads the remembered tabs, once; there is always one. */
  function load(): Promise<void> {
    loading ??= read()
    return loading
  }
  async function read(): Promise<void> {
    try {
      const kept = await call('console.tabs', {})
      tabs.value = kept.tabs
      current.value = kept.tabs.some(({ id }) => id === kept.current) ? kept.current : (kept.tabs[0]?.id ?? null)
    } catch (thrown) {
      saveError.value = toAppError(thrown)
    }
    if (tabs.value.length === 0) open({ method: 'GET', path: '/', body: null })
  }

  function show(id: string): void {
    current.value = id
    void keep()
  }

  /** Opens a request, or shows the tab that has it already. The oldest tab makes room. */
  function open({ method, path, body, saved = null, seq = null }: ConsoleTabRequest): void {
    const same = tabs.value.find((one) => one.method === method && one.path === path && one.body === body)
    if (same) {
      updateTab(same.id, { ...(saved ? { saved } : {}), ...(seq === null ? {} : { seq }) })
      return show(same.id)
    }
    lastId += 1
    const made: ConsoleTab = { id: `${Date.now().toString(36)}-${lastId}`, method, path, body, saved, seq }
    const unused = tabs.value.filter((one) => !(one.path === '/' && one.body === null && one.seq === null))
    tabs.value = [...unused, made].slice(-MAX_TABS)
    show(made.id)
  }
  const openEmpty = (): void => open({ method: 'GET', path: '/', body: null })

  function close(id: string): void {
    cancel(id)
    failures.delete(id)
    const at = tabs.value.findIndex((one) => one.id === id)
    tabs.value = tabs.value.filter((one) => one.id !== id)
    if (current.value === id) current.value = (tabs.value[at] ?? tabs.value[at - 1])?.id ?? null
    if (tabs.value.length === 0) openEmpty()
    void keep()
  }

  function updateTab(id: string, part: Partial<Omit<ConsoleTab, 'id'>>): void {
    tabs.value = tabs.value.map((one) => (one.id === id ? { ...one, ...part } : one))
    void keep()
  }

  /** Sends a read; its exchange becomes the tab's answer. */
  async function send(id: string, request: FilledRequest): Promise<void> {
    cancel(id)
    const mine = new AbortController()
    sending.set(id, mine)
    failures.delete(id)
    try {
      const seq = await traffic.send({ ...request }, mine.signal)
      if (sending.get(id) === mine) updateTab(id, { seq })
    } catch (thrown) {
      if (sending.get(id) === mine && !isCancellation(thrown)) failures.set(id, toAppError(thrown))
    } finally {
      if (sending.get(id) === mine) sending.delete(id)
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
    unkept: saveError,
    sending,
    failures,
    load,
    show,
    open,
    openEmpty,
    close,
    change: updateTab,
    send,
    cancel,
  }
})
