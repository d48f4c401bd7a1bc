import { useI18n } from 'vue-i18n'
import { DEMO_PROFILE_NAME } from '../../shared/ipc/profiles.ts'

/**
 * Returns a function that translates the name of the demo library and leaves every other profile's
 * name as the user typed it.
 */
export function useProfileName(): (name: string) => string {
  const { t } = useI18n()
  return (name) => (name === DEMO_PROFILE_NAME ? t('connect.demoName') : name)
}
