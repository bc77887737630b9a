/** Tells whoever asked at a wrong address which one to give to their client. */
export function tellBaseAddress(publicUrl: string): string {
  return `The base address of clients is ${publicUrl}/v1 or ${publicUrl}/api/proxy.php; for Anthropic's and Azure's it is ${publicUrl}.`;
}
