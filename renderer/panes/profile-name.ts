import { useI18n } from 'vue-i18n'
import { DEMO_PROFILE_NAME } from '../../shared/ipc/profiles.ts'

/** Only the demo library's name is translated; others stay as the user typed them. */
export function useProfileName(): (name: string) => string {
  const { t } = useI18n()
  return (name) => (name === DEMO_PROFILE_NAME ? t('connect.demoName') : name)
}
