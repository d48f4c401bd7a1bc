import { defaultSettings, settingsSchema, type Settings } from '../../shared/ipc/settings.ts'
import type { IpcDispatcher } from '../handlers/ipc-dispatcher.ts'

/** The settings that the desktop shell follows itself. */
type Preferences = Pick<Settings, 'theme' | 'locale'>

/**
 * Follows theme and language through the same door as the page, so that the menu, the dialogs and the window's background match the page.
 * `apply` runs once before this resolves, and again on every change.
 */
export async function followPreferences(door: IpcDispatcher, apply: (preferences: Preferences) => void): Promise<void> {
  let last: Preferences | null = null
  const take = (value: unknown): void => {
    const { theme, locale } = settingsSchema.safeParse(value).data ?? defaultSettings
    if (last?.theme === theme && last.locale === locale) return
    last = { theme, locale }
    apply(last)
  }
  door.subscribe(({ topic, payload }) => {
    if (topic === 'settings.changed') take(payload)
  })
  const reply = await door.call('desktop', { id: 'preferences', method: 'settings.get', input: {} })
  take(reply.ok ? reply.value : null)
}
