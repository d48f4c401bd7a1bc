import { defaultSettings, settingsSchema, type Settings } from '../../shared/ipc/settings.ts'
import type { IpcDispatcher } from '../handlers/app-ports.ts'

/** The settings that the desktop shell itself applies. */
type Preferences = Pick<Settings, 'theme' | 'locale'>

/** Calls `apply` once before the promise resolves, and on every change of theme or language. */
export async function followPreferences(
  dispatcher: IpcDispatcher,
  apply: (preferences: Preferences) => void,
): Promise<void> {
  let last: Preferences | null = null
  const applyChange = (value: unknown): void => {
    const { theme, locale } = settingsSchema.safeParse(value).data ?? defaultSettings
    if (last?.theme === theme && last.locale === locale) return
    last = { theme, locale }
    apply(last)
  }
  dispatcher.subscribe(({ topic, payload }) => {
    if (topic === 'settings.changed') applyChange(payload)
  })
  const reply = await dispatcher.call('desktop', { id: 'preferences', method: 'settings.get', input: {} })
  applyChange(reply.ok ? reply.value : null)
}
