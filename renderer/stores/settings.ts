import { usePreferredDark, usePreferredLanguages } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import { defaultSettings, type Settings } from '../../shared/ipc/settings.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'
import { toAppError } from './errors.ts'

/** Changes are collected for this long, so that dragging a divider is one write and not a hundred. */
const SAVE_AFTER_MS = 200

/** The user's settings. A change applies at once and is saved in the background; a failed save is kept in `error`. */
export const useSettings = defineStore('settings', () => {
  const values = shallowRef<Settings>(defaultSettings)
  const error = shallowRef<AppError | null>(null)
  let saving = false
  const systemDark = usePreferredDark()
  const systemLanguages = usePreferredLanguages()
  let pending: Partial<Settings> = {}
  /** On their way to the service process, whose events may still tell what was before them. */
  let sending: Partial<Settings> = {}
  let timer: ReturnType<typeof setTimeout> | undefined

  const theme = computed<'light' | 'dark'>(() => {
    if (values.value.theme !== 'system') return values.value.theme
    return systemDark.value ? 'dark' : 'light'
  })

  async function load(): Promise<void> {
    values.value = await call('settings.get', {})
  }

  function update(patch: Partial<Settings>): void {
    values.value = { ...values.value, ...patch }
    pending = { ...pending, ...patch }
    clearTimeout(timer)
    timer = setTimeout(() => void save(), SAVE_AFTER_MS)
  }

  /** Sends unsaved changes. One save at a time; changes made meanwhile go with the next. */
  async function save(): Promise<void> {
    if (saving || Object.keys(pending).length === 0) return
    saving = true
    sending = pending
    pending = {}
    try {
      const saved = await call('settings.update', sending)
      values.value = { ...saved, ...pending }
      error.value = null
    } catch (thrown) {
      error.value = toAppError(thrown)
    } finally {
      saving = false
      sending = {}
    }
    await save()
  }

  /** Back to the defaults, except for the current place, the panes' layout and what was given a name; no tour is offered twice. */
  function reset(): void {
    const { lastPlace, navCollapsed, inspectorOpen, inspectorWidth, grids, trafficFilters, tourSeen } = values.value
    const kept = { lastPlace, navCollapsed, inspectorOpen, inspectorWidth, grids, trafficFilters, tourSeen }
    update({ ...defaultSettings, ...kept })
  }

  /** Loads and follows the settings, including changes by another window. */
  async function start(): Promise<void> {
    subscribe('settings.changed', (changed) => {
      values.value = { ...changed, ...sending, ...pending }
    })
    await load()
  }

  return { values, error, theme, systemLanguages, update, reset, start }
})
