/** Formats seconds as `1:05` or `1:02:03`. An unknown duration gives `0:00`. */
export function formatPlaybackTime(seconds: number): string {
  const wholeSeconds = Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0
  const parts = [Math.floor(wholeSeconds / 3600), Math.floor(wholeSeconds / 60) % 60, wholeSeconds % 60]
  const shownParts = parts[0] === 0 ? parts.slice(1) : parts
  return shownParts.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

/** The loudest sample, 0 to 1, of `count` sections. Rejects if it cannot be decoded. */
export async function decodeWaveformPeaks(bytes: ArrayBuffer, count: number): Promise<Float32Array> {
  const context = new OfflineAudioContext(1, 1, 44_100)
  const sound = await context.decodeAudioData(bytes)
  return computePeaks(sound.getChannelData(0), count)
}

export function computePeaks(samples: Float32Array, count: number): Float32Array {
  const peaks = new Float32Array(count)
  const samplesPerPeak = samples.length / count
  for (let index = 0; index < count; index += 1) {
    const end = Math.min(samples.length, Math.ceil((index + 1) * samplesPerPeak))
    let peak = 0
    for (let sampleIndex = Math.floor(index * samplesPerPeak); sampleIndex < end; sampleIndex += 1)
      peak = Math.max(peak, Math.abs(samples[sampleIndex] ?? 0))
    peaks[index] = Math.min(1, peak)
  }
  return peaks
}
