import { usePreferredDark, usePreferredLanguages } from '@vueuse/core'
import { defineStore } from './define-store.ts'
import { computed, shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import { defaultSettings, type Settings } from '../../shared/ipc/settings.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'
import { toAppError } from './errors.ts'

/** Changes are collected for this long, so that dragging a divider causes a single write. */
const SAVE_AFTER_MS = 200

/** A change takes effect at once and is saved later. `error` reports a failed save. */
export const useSettings = defineStore('settings', () => {
  const values = shallowRef<Settings>(defaultSettings)
  const error = shallowRef<AppError | null>(null)
  let isSaving = false
  const systemDark = usePreferredDark()
  const systemLanguages = usePreferredLanguages()
  let pending: Partial<Settings> = {}
  /** Changes being saved. Events of the service process may still have older values. */
  let sending: Partial<Settings> = {}
  let timer: ReturnType<typeof setTimeout> | undefined

  const theme = computed<'light' | 'dark'>(() => {
    if (values.value.theme !== 'system') return values.value.theme
    return systemDark.value ? 'dark' : 'light'
  })

  async function load(): Promise<void> {
    const loaded = await call('settings.get', {})
    values.value = { ...loaded, ...sending, ...pending }
  }

  function update(patch: Partial<Settings>): void {
    values.value = { ...values.value, ...patch }
    pending = { ...pending, ...patch }
    clearTimeout(timer)
    timer = setTimeout(() => void save(), SAVE_AFTER_MS)
  }

  /** Saves never overlap. Changes made during a save are saved afterwards. */
  async function save(): Promise<void> {
    if (isSaving || Object.keys(pending).length === 0) return
    isSaving = true
    sending = pending
    pending = {}
    try {
      const saved = await call('settings.update', sending)
      values.value = { ...saved, ...pending }
      error.value = null
    } catch (thrown) {
      error.value = toAppError(thrown)
    } finally {
      isSaving = false
      sending = {}
    }
    await save()
  }

  /**
   * Restores the defaults, except for the current page, the layout of the panes, named grids and
   * filters, and the tour and the hint of the map, which are shown until they were used.
   */
  function reset(): void {
    const { lastPlace, navCollapsed, inspectorOpen, inspectorWidth, detailWidth, grids, trafficFilters } = values.value
    const { tourSeen, mapMoved } = values.value
    const layout = { lastPlace, navCollapsed, inspectorOpen, inspectorWidth, detailWidth, grids, trafficFilters }
    update({ ...defaultSettings, ...layout, tourSeen, mapMoved })
  }

  /** Loads the settings and follows changes, including those made in other windows. */
  async function start(): Promise<void> {
    subscribe('settings.changed', (changed) => {
      values.value = { ...changed, ...sending, ...pending }
    })
    await load()
  }

  return { values, error, theme, systemLanguages, update, reset, start }
})
