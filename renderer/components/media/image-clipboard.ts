/** Copies as PNG, which every browser accepts. Rejects if the browser refuses. */
export async function copyImage(load: () => Promise<ArrayBuffer>, type: string): Promise<void> {
  // A promise, because the permission lasts for the click only, and loading takes longer.
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': load().then((bytes) => toPng(bytes, type)) })])
}

async function toPng(bytes: ArrayBuffer, type: string): Promise<Blob> {
  const blob = new Blob([bytes], { type })
  if (type === 'image/png') return blob
  const picture = await createImageBitmap(blob)
  const canvas = document.createElement('canvas')
  canvas.width = picture.width
  canvas.height = picture.height
  canvas.getContext('2d')?.drawImage(picture, 0, 0)
  return new Promise((resolve, reject) => {
    canvas.toBlob((png) => (png ? resolve(png) : reject(new Error('not drawn'))), 'image/png')
  })
}
