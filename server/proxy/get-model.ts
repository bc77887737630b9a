import { AppError } from '../kernel/app-error.js';
import type { FoundModel, ModelCatalogue } from '../providers/model-catalogue.js';

/** Finds a model that can be called now. @throws AppError `model_not_found`, saying where the names are. */
export function getModel(catalogue: ModelCatalogue, name: string): FoundModel {
  const model = catalogue.findModel(name);
  if (model) return model;
  throw new AppError(
    'model_not_found',
    `The model \`${name.slice(0, 100)}\` does not exist or you do not have access to it. GET …/models lists the ones you can call.`,
    { param: 'model' },
  );
}
