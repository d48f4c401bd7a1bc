import { useI18n } from 'vue-i18n'
import { DEMO_PROFILE_NAME } from '../../shared/ipc/profiles.ts'

/**
 * The name of a profile as the user typed it; the name of the demo library in the language of the
 * page.
 */
export function useProfileName(): (name: string) => string {
  const { t } = useI18n()
  return (name) => (name === DEMO_PROFILE_NAME ? t('connect.demoName') : name)
}
