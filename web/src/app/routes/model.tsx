import { useParams } from 'react-router';
import { ModelPage } from '../../features/models/model-page';

/** /models/ID, for everybody */
export default function ModelRoute() {
  const { modelId = '' } = useParams();
  // Another model's page begins anew.
  return <ModelPage key={modelId} id={modelId} />;
}
