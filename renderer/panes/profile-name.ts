import { useI18n } from 'vue-i18n'
import { DEMO_PROFILE_NAME } from '../../shared/ipc/profiles.ts'

/**
 * Returns a function that shows a profile's name. Only that of the demo library is translated;
 * other names stay as the user typed them.
 */
export function useProfileName(): (name: string) => string {
  const { t } = useI18n()
  return (name) => (name === DEMO_PROFILE_NAME ? t('connect.demoName') : name)
}
