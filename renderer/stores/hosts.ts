import { defineStore } from './define-store.ts'
import { shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { DoctorStep, DiscoveredHost, InstallCode } from '../../shared/ipc/connection.ts'
import type { ProfileDraft, ProfileView } from '../../shared/ipc/profiles.ts'
import { call } from '../ipc/call.ts'
import { toAppError, isCancellation } from './errors.ts'

/** Hosts on this machine, pairing, the demo library, and the connection diagnosis. */
export const useHosts = defineStore('hosts', () => {
  const foundHosts = shallowRef<readonly DiscoveredHost[] | null>(null)
  const isScanning = shallowRef(false)
  const scanError = shallowRef<AppError | null>(null)
  const report = shallowRef<{ profileId: string; steps: readonly DoctorStep[] } | null>(null)
  const examiningProfileId = shallowRef<string | null>(null)
  let examination: AbortController | null = null

  /** Looks for hosts on this machine without connecting to them. */
  async function scan(): Promise<void> {
    if (isScanning.value) return
    isScanning.value = true
    try {
      foundHosts.value = await call('discovery.scan', {})
      scanError.value = null
    } catch (thrown) {
      scanError.value = toAppError(thrown)
    } finally {
      isScanning.value = false
    }
  }

  /** The previous report stays until the new one. @throws as `call`, except for cancellations */
  async function examine(profileId: string): Promise<void> {
    cancelExamination()
    const controller = new AbortController()
    examination = controller
    examiningProfileId.value = profileId
    try {
      const steps = await call('connection.doctor', { profileId }, { signal: controller.signal })
      if (examination === controller) report.value = { profileId, steps }
    } catch (thrown) {
      if (!isCancellation(thrown)) throw thrown
    } finally {
      if (examination === controller) cancelExamination()
    }
  }

  /** Drops the report of a host whose profile was changed after the diagnosis. */
  function forgetReport(profileId: string): void {
    if (report.value?.profileId === profileId) report.value = null
    if (examiningProfileId.value === profileId) cancelExamination()
  }

  function cancelExamination(): void {
    examination?.abort()
    examination = null
    examiningProfileId.value = null
  }

  /** Neither saves nor connects. A null `token` stands for the stored one. */
  const testProfile = (
    profile: ProfileDraft,
    token: string | null,
    signal: AbortSignal,
  ): Promise<readonly DoctorStep[]> => call('connection.test', { profile, token }, { signal })

  /** @param isConfirmed true if the user has agreed, which is required for a host with `asks` */
  const adoptFoundHost = (foundId: string, shouldUseToken: boolean, isConfirmed: boolean): Promise<ProfileView> =>
    call('discovery.adopt', { foundId, useToken: shouldUseToken, confirmed: isConfirmed })

  /** Requests a code for installing the host's command line tool. The code is not stored. */
  const requestInstallCode = (): Promise<InstallCode> => call('connection.installCode', {})

  const pair = (input: { name: string; baseUrl: string; code: string; deviceName: string }): Promise<ProfileView> =>
    call('discovery.pair', input)

  const startDemo = async (): Promise<string> => (await call('app.startDemo', {})).profileId

  const trustCertificate = (profileId: string, fingerprint: string): Promise<ProfileView> =>
    call('connection.trustCertificate', { profileId, fingerprint })

  return {
    foundHosts,
    isScanning,
    scanError,
    report,
    examiningProfileId,
    scan,
    examine,
    cancelExamination,
    forgetReport,
    testProfile,
    adoptFoundHost,
    pair,
    requestInstallCode,
    startDemo,
    trustCertificate,
  }
})
